import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import type { RequestIdVariables } from 'hono/request-id';
import { aggregators } from '../aggregators/registry.ts';
import { alignClock } from '../shared/align-clock.ts';
import { type Clock, systemClock } from '../shared/clock.ts';
import { messageOf } from '../shared/errors.ts';
import { createAddressList } from '../shared/http/address-list.ts';
import { responseHeaders } from '../shared/http/headers.ts';
import { type Ids, systemIds } from '../shared/ids.ts';
import type { Log } from '../shared/log.ts';
import { createDiskSpace } from '../sqlite/space.ts';
import { createSqliteStore } from '../sqlite/sqlite.ts';
import type { StoreFault } from '../sqlite/store.ts';
import { createRecovery } from './backup/recovery.ts';
import { recoveryStore } from './backup/recovery-store.ts';
import { createClient, type Fetch } from './collection/calls/client.ts';
import { createKeyHealth } from './collection/calls/key-health.ts';
import { createKeyRates } from './collection/calls/key-rates.ts';
import { collectionQueue } from './collection/calls/queue.ts';
import { createSendTimes } from './collection/calls/send-times.ts';
import type { SubmitDeps } from './collection/calls/submit.ts';
import { createTransport } from './collection/calls/transport.ts';
import { correctClock } from './collection/correct-clock.ts';
import { quotePruneJob } from './collection/quote/prune-job.ts';
import { createQuotes } from './collection/quote/quote.ts';
import { quoteStore } from './collection/quote/quote-store.ts';
import { collectionStore } from './collection/store/collection-store.ts';
import { releaseLeases } from './collection/store/due-store.ts';
import type { Config } from './config/schema.ts';
import { createChannel } from './dialogue/channel.ts';
import { diallerStore } from './dialogue/dialler-store.ts';
import { ReplyGate } from './dialogue/reply-gate.ts';
import { ussdRoute } from './dialogue/route.ts';
import { turnStore } from './dialogue/turn-store.ts';
import { inboxStore, inboxWrites } from './inbox/inbox-store.ts';
import { inboxQueue } from './inbox/queue.ts';
import { webhookRoute } from './inbox/route.ts';
import { countUnmatched } from './inbox/unmatched.ts';
import { latestWriteTimes } from './latest-writes-query.ts';
import { ledgerStore } from './ledger/ledger-store.ts';
import { sealBlock } from './ledger/seal.ts';
import { sealJob } from './ledger/seal-job.ts';
import { createLookups, type Lookups } from './lookup/lookup.ts';
import { createLookupTransport } from './lookup/transport.ts';
import { createMetrics } from './metrics/metrics.ts';
import { metricsRoute } from './metrics/route.ts';
import { createReadiness } from './readiness.ts';
import { retentionJob } from './retention/retention-job.ts';
import { retentionStore } from './retention/retention-store.ts';
import { periodic } from './worker/periodic.ts';
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
  /** Opens the database in the place of `createSqliteStore`: the way in for whoever injects faults at its calls. */
  createStore?: typeof createSqliteStore;
  /** The longest sleep of the worker between two looks at its queues, and the pause between two seals: 1,000 ms. */
  maxIdleMs?: number;
  /** Answers look-ups in the place of merchants' own systems. */
  lookup?: Lookups['ask'];
  /** Told when the database has failed for good: the process must end. */
  onBroken?: () => void;
};

export type Gateway = {
  /** USSD callbacks, webhooks, health and metrics, ready to be served. */
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
export function createGateway(config: Config, overrides: GatewayOverrides): Gateway {
  const { log } = overrides;
  const clock = overrides.clock ?? systemClock();
  const networkClock = overrides.networkClock ?? clock;
  const ids = overrides.ids ?? systemIds(clock);
  const { timings, service } = config;
  const livemode = config.environment === 'live' ? 1 : 0;

  const broken = (fault: StoreFault) => {
    const told = { file: config.database.file, fault: messageOf(fault), see: 'docs/operations.md' };
    log.fatal(told, 'the database has failed; this process must not write on');
    overrides.onBroken?.();
  };
  const createStore = overrides.createStore ?? createSqliteStore;
  const maxIdleMs = overrides.maxIdleMs ?? second;
  const space = createDiskSpace(clock, log);
  const store = createStore({
    file: config.database.file,
    schema: 'gateway',
    clock,
    onBroken: broken,
    onFull: space.changed,
  });
  const collections = collectionStore(store);
  const inbox = inboxStore(store);
  const ledger = ledgerStore(store);

  const transport = overrides.fetch
    ? { fetch: overrides.fetch, close: async () => {} }
    : createTransport({
        connectTimeoutMs: timings.connectTimeoutMs,
        callTimeoutMs: timings.callTimeoutMs,
        callsInFlight: service.callsInFlight,
      });
  const gate = new ReplyGate(clock);
  const merchants = new Map(
    config.merchants.map((merchant) => {
      const attendants = new Set(merchant.attendants);
      return [merchant.id, { ...merchant, attendants, livemode } as const];
    }),
  );
  const keyOf = (merchantId: string) => merchants.get(merchantId)?.key;

  const known = { channels: config.channels.map(({ id }) => id), merchants: merchants.keys() };
  const metrics = createMetrics(known, async () => {
    const { status, diskFull = false, recovering = false } = await readiness();
    const unmatched = await countUnmatched(inbox, clock.now()).catch(() => undefined);
    return { isReady: status === 'ready', isDiskFull: diskFull, isRecovering: recovering, unmatched };
  });
  const provider = createClient({
    url: service.url,
    fetch: transport.fetch,
    clock: networkClock,
    callTimeoutMs: timings.callTimeoutMs,
  });
  const rates = createKeyRates(clock, service.callsPerSecond);
  const quotes = createQuotes({
    quotes: quoteStore(store),
    provider,
    rates,
    callsInFlight: service.callsInFlight,
    clock,
    networkClock,
    ids,
    keyOf,
    log,
    onDone: metrics.quoted,
  });
  const lookupTransport = createLookupTransport();
  const lookups = createLookups({
    fetch: lookupTransport.fetch,
    networkClock,
    ids,
    log,
    onDone: metrics.lookedUp,
  });
  const askLookup = overrides.lookup ?? lookups.ask;

  const core: SubmitDeps = {
    collections,
    clock,
    ids,
    log,
    keys: createKeyHealth(clock, metrics.keyRejected),
    provider,
    sendTimes: createSendTimes(clock),
    keyOf,
    screenSent: (dialogueId) => gate.sent(dialogueId),
    resendGraceMs: timings.resendGraceMs,
    retryAllowedAfterMs: timings.retryAllowedAfterMs,
  };
  const recovery = createRecovery({
    store: recoveryStore(store),
    database: config.database.file,
    livemode,
    clock,
    ids,
    log,
    retryAllowedAfterMs: core.retryAllowedAfterMs,
    everyMs: Math.max(5 * second, maxIdleMs),
  });
  const worker = new Worker(
    {
      clock,
      log,
      queues: [
        collectionQueue(core, rates, { livemode, leaseMs: timings.leaseMs }),
        inboxQueue({ ...core, inbox }, livemode),
        periodic(sealJob(ledger, clock, maxIdleMs), clock),
        periodic(quotePruneJob(quoteStore(store), Math.max(60 * second, maxIdleMs)), clock),
        periodic(recovery.job, clock),
        periodic(retentionJob(retentionStore(store), config.retention, log), clock),
      ],
    },
    { inFlight: service.callsInFlight, maxIdleMs },
  );

  const channels = new Map(
    config.channels.flatMap((channel) => {
      const merchant = merchants.get(channel.merchant);
      const aggregator = aggregators[channel.aggregator];
      if (!merchant || !aggregator) return [];
      return [[channel.id, createChannel(aggregator, channel, merchant, timings.promptDelayMs)] as const];
    }),
  );

  const trustedProxies = createAddressList(config.listen.trustedProxies);

  let draining = false;
  const readiness = createReadiness({ store, space, worker, recovery, isDraining: () => draining });
  let stopped: Promise<void> | undefined;
  async function close(): Promise<void> {
    await worker.stop();
    while (await sealBlock(ledger, clock)) {
      // One block at a time until nothing is left.
    }
    await quotes.close();
    if (store.usable()) await recovery.close();
    await Promise.all([transport.close(), lookupTransport.close()]);
    await store.close();
  }

  const app = new Hono<{ Variables: RequestIdVariables }>();
  app.use(responseHeaders(), async (c, next) => {
    // Never the caller's own: it goes into the log, and a caller may put a number there.
    const request = ids.next('req');
    c.set('requestId', request);
    c.header('x-request-id', request);
    await next();
  });
  app.route(
    '/',
    ussdRoute({
      turns: turnStore(store),
      diallers: diallerStore(store),
      collections,
      quotes,
      async lookup(merchantId, want, budgetMs) {
        const merchant = merchants.get(merchantId);
        return merchant ? askLookup(merchant, want, budgetMs) : { kind: 'none' };
      },
      clock,
      ids,
      log,
      gate,
      channel: (id) => channels.get(id),
      trustedProxies,
      metrics,
      isPaused: recovery.isPaused,
      onOpened: () => worker.wake(),
      settings: {
        ...timings,
        limits: config.limits,
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
      onStored: () => worker.wake(),
    }),
  );
  app.route(
    '/',
    metricsRoute({ metrics, allowed: createAddressList(config.metrics.allowFrom), trustedProxies }),
  );
  app.get('/healthz', (c) => c.json({ status: 'ok' }));
  app.get('/readyz', async (c) => {
    const found = await readiness();
    return c.json(found, found.status === 'ready' ? 200 : 503);
  });
  app.notFound((c) => c.json({ error: { code: 'not_found', message: 'nothing here' } }, 404));
  app.onError((fault, c) => {
    // Whoever hangs up midway hears no answer, and nothing is wrong here: strangers must not fill the log of errors.
    const { incoming }: Partial<HttpBindings> = c.env ?? {};
    if (incoming?.destroyed && !incoming.complete) {
      return c.json({ error: { code: 'broken_off', message: 'the request broke off' } }, 400);
    }
    log.error({ request: c.get('requestId'), fault: messageOf(fault) }, 'a request failed');
    return c.json({ error: { code: 'internal_error', message: 'try again later' } }, 503);
  });

  return {
    app,
    async start() {
      alignClock(clock, await latestWriteTimes(store), log);
      const now = clock.now();
      // The lock says that no other process works on this file: leases that are left are a dead one's.
      await store.apply([releaseLeases(now), inboxWrites.releaseLeases(now), inboxWrites.limitDelays(now)]);
      await recovery.begin();
      // After it: what it marks is marked at the time of its last fact.
      await correctClock(core);
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
