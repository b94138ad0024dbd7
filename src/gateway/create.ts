import { aggregators } from '../aggregators/registry.ts';
import { alignClock } from '../shared/align-clock.ts';
import { type Clock, systemClock } from '../shared/clock.ts';
import { messageOf } from '../shared/errors.ts';
import { createAddressList } from '../shared/http/address-list.ts';
import { type Ids, systemIds } from '../shared/ids.ts';
import type { Log } from '../shared/log.ts';
import { createDiskSpace } from '../sqlite/disk-space.ts';
import { createSqliteStore } from '../sqlite/sqlite.ts';
import type { StoreFault } from '../sqlite/store.ts';
import { createApp, type GatewayApp } from './app.ts';
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
   * The clock of network timeouts and latencies, which must run in real time while a test advances `clock`. Defaults to
   * `clock`.
   */
  networkClock?: Clock;
  ids?: Ids;
  fetch?: Fetch;
  /** Replaces `createSqliteStore`, so that a test can inject faults. */
  createStore?: typeof createSqliteStore;
  /** Upper bound of the worker's idle time, and the interval between seals. Defaults to 1,000 ms. */
  maxIdleMs?: number;
  /** Answers lookups instead of the merchants' own systems. */
  lookup?: Lookups['ask'];
  /** Called when the database has failed for good. The process must then end. */
  onBroken?: () => void;
};

export type Gateway = {
  /** Serves USSD callbacks, webhooks, health and metrics. */
  app: GatewayApp;
  /** Starts the worker, which makes calls from then on. */
  start(): Promise<void>;
  /** Makes `/readyz` answer 503, so that a load balancer sends new payers elsewhere. */
  drain(): void;
  /** Waits for the worker's jobs in flight, seals the ledger, and closes the database. */
  stop(): Promise<void>;
};

const second = 1000;

/**
 * Creates the gateway from its parts. Opens and migrates the database, and starts nothing.
 *
 * @throws UserError when the database is in use, is newer than the program, or cannot be made durable.
 */
export function createGateway(config: Config, overrides: GatewayOverrides): Gateway {
  const runtime = createRuntime(config, overrides);
  const { log, clock, networkClock, ids, livemode, maxIdleMs } = runtime;
  const { store, space, collections, inbox, ledger } = openStorage(config, runtime, overrides);
  const { timings, service } = config;
  const merchants = merchantsOf(config, livemode);
  const keyOf = (merchantId: string) => merchants.get(merchantId)?.key;
  const replyGate = new ReplyGate(clock);

  const labels = { channels: config.channels.map(({ id }) => id), merchants: merchants.keys() };
  const metrics = createMetrics(labels, async () => {
    const { status, diskFull = false, recovering = false } = await readiness();
    const unmatched = await countUnmatched(inbox, clock.now()).catch(() => undefined);
    return { isReady: status === 'ready', isDiskFull: diskFull, isRecovering: recovering, unmatched };
  });
  const calls = createServiceCalls(config, runtime, overrides.fetch);
  const quotes = createQuotes({
    ...{ quotes: quoteStore(store), provider: calls.provider, rates: calls.rates, keyOf },
    ...{ clock, networkClock, ids, log },
    callsInFlight: service.callsInFlight,
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

  const submitDeps: SubmitDeps = {
    ...{ collections, provider: calls.provider, keyOf, clock, ids, log },
    keys: createKeyHealth(clock, metrics.keyRejected),
    sendTimes: createSendTimes(clock),
    screenSent: (dialogueId) => replyGate.sent(dialogueId),
    resendGraceMs: timings.resendGraceMs,
    retryAllowedAfterMs: timings.retryAllowedAfterMs,
  };
  const recovery = createRecovery({
    ...{ store: recoveryStore(store), database: config.database.file, livemode, clock, ids, log },
    retryAllowedAfterMs: timings.retryAllowedAfterMs,
    everyMs: Math.max(5 * second, maxIdleMs),
  });
  const queues = [
    collectionQueue(submitDeps, calls.rates, { livemode, leaseMs: timings.leaseMs }),
    inboxQueue({ ...submitDeps, inbox }, livemode),
    periodic(sealJob(ledger, clock, maxIdleMs), clock),
    periodic(quotePruneJob(quoteStore(store), Math.max(60 * second, maxIdleMs)), clock),
    periodic(recovery.job, clock),
    periodic(retentionJob(retentionStore(store), config.retention, log), clock),
  ];
  const worker = new Worker({ clock, log, queues }, { inFlight: service.callsInFlight, maxIdleMs });

  let isDraining = false;
  const readiness = createReadiness({ store, space, worker, recovery, isDraining: () => isDraining });
  const app = createApp({ ids, log, readiness });
  const channels = channelsOf(config, merchants);
  const trustedProxies = createAddressList(config.listen.trustedProxies);
  app.route(
    '/',
    ussdRoute({
      ...{ turns: turnStore(store), diallers: diallerStore(store), collections, quotes },
      ...{ clock, ids, log, metrics, trustedProxies, gate: replyGate },
      async lookup(merchantId, effect, budgetMs) {
        const merchant = merchants.get(merchantId);
        return merchant ? askLookup(merchant, effect, budgetMs) : { kind: 'none' };
      },
      channel: (id) => channels.get(id),
      isPaused: recovery.isPaused,
      onCollection: () => worker.wake(),
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
      ...{ inbox, clock, log, signature: service.signature },
      merchant: (id) => merchants.get(id),
      onStored: () => worker.wake(),
    }),
  );
  app.route(
    '/',
    metricsRoute({ metrics, allowed: createAddressList(config.metrics.allowFrom), trustedProxies }),
  );

  async function close(): Promise<void> {
    await worker.stop();
    while (await sealBlock(ledger, clock)) {
      // Seals one block at a time until every row is sealed.
    }
    await quotes.close();
    if (store.usable()) await recovery.close();
    await Promise.all([calls.close(), lookupTransport.close()]);
    await store.close();
  }

  let stopped: Promise<void> | undefined;
  return {
    app,
    async start() {
      alignClock(clock, await latestWriteTimes(store), log);
      const now = clock.now();
      // The lock guarantees that no other process uses this file, so every lease belongs to a process that has ended.
      await store.apply([releaseLeases(now), inboxWrites.releaseLeases(now), inboxWrites.limitDelays(now)]);
      await recovery.start();
      // After the recovery, which marks collections at the time of their last fact.
      await correctClock(submitDeps);
      worker.start();
    },
    drain() {
      isDraining = true;
    },
    stop() {
      isDraining = true;
      stopped ??= close();
      return stopped;
    },
  };
}

/** What every part of the gateway shares. */
type Runtime = {
  log: Log;
  clock: Clock;
  networkClock: Clock;
  ids: Ids;
  livemode: 0 | 1;
  maxIdleMs: number;
};

function createRuntime({ environment }: Config, overrides: GatewayOverrides): Runtime {
  const clock = overrides.clock ?? systemClock();
  return {
    log: overrides.log,
    clock,
    networkClock: overrides.networkClock ?? clock,
    ids: overrides.ids ?? systemIds(clock),
    livemode: environment === 'live' ? 1 : 0,
    maxIdleMs: overrides.maxIdleMs ?? second,
  };
}

function openStorage({ database }: Config, { log, clock }: Runtime, overrides: GatewayOverrides) {
  const createStore = overrides.createStore ?? createSqliteStore;
  const space = createDiskSpace(clock, log);
  const store = createStore({
    file: database.file,
    schema: 'gateway',
    clock,
    onBroken(fault: StoreFault) {
      const line = { file: database.file, fault: messageOf(fault), see: 'docs/operations.md' };
      log.fatal(line, 'the database has failed; this process must not write any more');
      overrides.onBroken?.();
    },
    onFull: space.setFull,
  });
  const stores = {
    collections: collectionStore(store),
    inbox: inboxStore(store),
    ledger: ledgerStore(store),
  };
  return { store, space, ...stores };
}

/** Creates the client of the service and the rate limits of the merchants' keys. */
function createServiceCalls({ service, timings }: Config, runtime: Runtime, fetch: Fetch | undefined) {
  const { connectTimeoutMs, callTimeoutMs } = timings;
  const { callsInFlight } = service;
  const transport = fetch
    ? { fetch, close: async () => {} }
    : createTransport({ connectTimeoutMs, callTimeoutMs, callsInFlight });
  const provider = createClient({
    url: service.url,
    fetch: transport.fetch,
    clock: runtime.networkClock,
    callTimeoutMs,
  });
  return { provider, rates: createKeyRates(runtime.clock, service.callsPerSecond), close: transport.close };
}

function merchantsOf(config: Config, livemode: 0 | 1) {
  return new Map(
    config.merchants.map((merchant) => {
      const attendants = new Set(merchant.attendants);
      return [merchant.id, { ...merchant, attendants, livemode } as const];
    }),
  );
}

function channelsOf({ channels, timings }: Config, merchants: ReturnType<typeof merchantsOf>) {
  return new Map(
    channels.flatMap((channel) => {
      const merchant = merchants.get(channel.merchant);
      const aggregator = aggregators[channel.aggregator];
      if (!merchant || !aggregator) return [];
      return [[channel.id, createChannel(aggregator, channel, merchant, timings.promptDelayMs)] as const];
    }),
  );
}
