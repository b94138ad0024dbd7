import { Hono } from 'hono';
import { type RequestIdVariables, requestId } from 'hono/request-id';
import { secureHeaders } from 'hono/secure-headers';
import { aggregators } from './aggregators.ts';
import { collectionStore, releaseLeases } from './collection/collection-store.ts';
import { collectionQueue } from './collection/queue.ts';
import type { SubmitDeps } from './collection/submit.ts';
import type { Config } from './config/schema.ts';
import { openSqlite } from './db/sqlite.ts';
import { ledgerStore } from './ledger/ledger-store.ts';
import { sealQueue } from './ledger/queue.ts';
import { sealBlock } from './ledger/seal.ts';
import { createClient, type Fetch } from './provider/client.ts';
import { openTransport } from './provider/transport.ts';
import { addressList } from './shared/address-list.ts';
import { type Clock, systemClock } from './shared/clock.ts';
import { messageOf } from './shared/errors.ts';
import { type Ids, systemIds } from './shared/ids.ts';
import type { Log } from './shared/log.ts';
import { openChannel } from './ussd/channel.ts';
import { ReplyGate } from './ussd/reply-gate.ts';
import { ussdRoute } from './ussd/route.ts';
import { turnStore } from './ussd/turn-store.ts';
import { inboxStore, inboxWrites } from './webhook/inbox-store.ts';
import { inboxQueue } from './webhook/queue.ts';
import { webhookRoute } from './webhook/route.ts';
import { Worker } from './worker/worker.ts';

export type GatewayOverrides = {
  log: Log;
  clock?: Clock;
  /**
   * By which calls to the service time out and are measured: the machine's, where `clock` is moved on by hand, for a
   * network has its own pace. The same as `clock` when left out.
   */
  networkClock?: Clock;
  ids?: Ids;
  fetch?: Fetch;
  /** Told when the database has failed for good: the process must end. */
  onBroken?: () => void;
};

export type Gateway = {
  /** USSD callbacks, webhooks and health, ready to be served. */
  app: Hono<{ Variables: RequestIdVariables }>;
  /** Starts the worker: from here on calls are made. */
  start(): Promise<void>;
  /** From here on `/readyz` answers 503, so that a load balancer sends new payers elsewhere. */
  drain(): void;
  /** Lets the worker finish what it has in hand, seals the ledger, and closes the database. */
  stop(): Promise<void>;
};

const second = 1000;

/**
 * Builds the gateway: the only place that wires. Opens and migrates the database; starts nothing.
 *
 * @throws UserError when the database is in use, is newer than the program, or cannot be made durable.
 */
export function buildGateway(config: Config, overrides: GatewayOverrides): Gateway {
  const { log } = overrides;
  const clock = overrides.clock ?? systemClock();
  const networkClock = overrides.networkClock ?? clock;
  const ids = overrides.ids ?? systemIds(clock);
  const { timings, service } = config;
  const livemode = config.environment === 'live' ? 1 : 0;

  const broken = () => {
    log.fatal('the database has failed; this process must not write on');
    overrides.onBroken?.();
  };
  const store = openSqlite({ file: config.database.file, schema: 'gateway', clock, onBroken: broken });
  const collections = collectionStore(store);
  const inbox = inboxStore(store);
  const ledger = ledgerStore(store);

  const callTimeoutMs = timings.callTimeoutSeconds * second;
  const transport = overrides.fetch
    ? { fetch: overrides.fetch, close: async () => {} }
    : openTransport({
        connectTimeoutMs: timings.connectTimeoutSeconds * second,
        callTimeoutMs,
        callsInFlight: service.callsInFlight,
      });
  const gate = new ReplyGate(clock);
  const merchants = new Map(
    config.merchants.map((merchant) => [merchant.id, { ...merchant, livemode } as const]),
  );

  const core: SubmitDeps = {
    collections,
    clock,
    ids,
    log,
    provider: createClient({ url: service.url, fetch: transport.fetch, clock: networkClock, callTimeoutMs }),
    keyOf: (merchantId) => merchants.get(merchantId)?.key,
    screenSent: (dialogueId) => gate.sent(dialogueId),
    resendGraceMs: timings.resendGraceSeconds * second,
    payerWaitMs: timings.payerWaitSeconds * second,
  };
  const worker = new Worker(
    {
      clock,
      log,
      queues: [
        collectionQueue(core, {
          livemode,
          leaseMs: timings.leaseSeconds * second,
          callsPerSecond: service.callsPerSecond,
        }),
        inboxQueue({ ...core, inbox }, livemode),
        sealQueue(ledger, clock),
      ],
    },
    { inFlight: service.callsInFlight },
  );

  const promptDelayMs = mapValues(timings.promptDelaySeconds, (seconds) => seconds * second);
  const channels = new Map(
    config.channels.flatMap((channel) => {
      const merchant = merchants.get(channel.merchant);
      const aggregator = aggregators[channel.aggregator];
      if (!merchant || !aggregator) return [];
      return [[channel.id, openChannel(aggregator, channel, merchant, promptDelayMs)] as const];
    }),
  );

  let draining = false;
  let stopped: Promise<void> | undefined;
  async function close(): Promise<void> {
    await worker.stop();
    while (await sealBlock(ledger, clock)) {
      // One block at a time until nothing is left.
    }
    await transport.close();
    await store.close();
  }

  const app = new Hono<{ Variables: RequestIdVariables }>();
  app.use(requestId({ limitLength: 64, generator: () => ids.next('req') }), secureHeaders());
  app.route(
    '/',
    ussdRoute({
      turns: turnStore(store),
      clock,
      ids,
      log,
      gate,
      channel: (id) => channels.get(id),
      trustedProxies: addressList(config.listen.trustedProxies),
      onOpened: () => worker.poke(),
      settings: {
        dialogueLifeMs: timings.dialogueLifeSeconds * second,
        repeatWindowMs: timings.repeatWindowSeconds * second,
        promptDeadlineMs: timings.promptDeadlineSeconds * second,
        networks: service.networks,
        approvals: config.approvals,
      },
    }),
  );
  app.route(
    '/',
    webhookRoute({
      inbox,
      clock,
      log,
      signature: service.signature,
      merchant: (id) => merchants.get(id),
      onStored: () => worker.poke(),
    }),
  );
  app.get('/healthz', (c) => c.json({ status: 'ok' }));
  app.get('/readyz', async (c) => {
    const database = await store.read
      .get('SELECT count(*) FROM seal WHERE number = 1')
      .then(store.usable, () => false);
    const checks = { database, worker: worker.isAlive(), draining };
    const ready = database && checks.worker && !draining;
    return c.json({ status: ready ? 'ready' : 'not ready', ...checks }, ready ? 200 : 503);
  });
  app.notFound((c) => c.json({ error: { code: 'not_found', message: 'nothing here' } }, 404));
  app.onError((fault, c) => {
    log.error({ request: c.get('requestId'), fault: messageOf(fault) }, 'a request failed');
    return c.json({ error: { code: 'internal_error', message: 'try again later' } }, 503);
  });

  return {
    app,
    async start() {
      const now = clock.now();
      // The lock says that no other process works on this file: leases that are left are a dead one's.
      await store.apply([releaseLeases(now), inboxWrites.releaseLeases(now)]);
      worker.start();
    },
    drain() {
      draining = true;
    },
    stop() {
      draining = true;
      stopped ??= close();
      return stopped;
    },
  };
}

function mapValues<K extends string, A, B>(
  record: Readonly<Record<K, A>>,
  change: (value: A) => B,
): Record<K, B> {
  return Object.fromEntries(Object.entries<A>(record).map(([key, value]) => [key, change(value)])) as Record<
    K,
    B
  >;
}
