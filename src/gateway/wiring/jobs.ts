import type { Msisdn } from '../../shared/msisdn.ts';
import { createReconciliation } from '../collection/apply.ts';
import { createSendTimes } from '../collection/calls/send-times.ts';
import type { CollectionRow } from '../collection/collection.ts';
import { collectionQueue } from '../collection/queue.ts';
import { quotePruneJob } from '../collection/quote/quote-store.ts';
import { findLastSession } from '../dialogue/end-session.ts';
import type { ReplyGate } from '../dialogue/reply-gate.ts';
import { turnStore } from '../dialogue/turn-store.ts';
import { inboxQueue } from '../inbox/queue.ts';
import { insightJob } from '../insights/insight-store.ts';
import { createSealLag, headJob, sealJob } from '../ledger/seal.ts';
import { requestPruneJob, requestStore } from '../merchant-api/request-store.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Readiness } from '../metrics/readiness.ts';
import { sumUnplaced, unplacedAlarmJob } from '../unplaced/list-query.ts';
import { heartbeatJob } from '../upkeep/heartbeat-job.ts';
import { createRecovery } from '../upkeep/recovery.ts';
import { recoveryStore } from '../upkeep/recovery-store.ts';
import { retentionJob } from '../upkeep/retention-job.ts';
import { retentionStore } from '../upkeep/retention-store.ts';
import { type PeriodicJob, periodic } from '../worker/queue.ts';
import { Worker } from '../worker/worker.ts';
import type { GatewayContext } from './context.ts';
import type { Alerts, Notifications, Outbound } from './outbound.ts';
import type { Storage } from './storage.ts';

const second = 1_000;

/** The parts that the jobs use. */
type JobParts = {
  storage: Storage;
  outbound: Outbound;
  replyGate: ReplyGate;
  metrics: Metrics;
  notifications: Notifications;
  alerts: Alerts;
  readiness(): Promise<Readiness>;
};

/** The gateway's background work. */
export type Jobs = ReturnType<typeof createJobs>;

/** Creates the worker with its queues: collections, stored events, and the periodic jobs. Starts nothing. */
export function createJobs(context: GatewayContext, parts: JobParts) {
  const { config, log, clock, networkClock, ids, livemode, signing, maxIdleMs, keyOf, accountOf, directory } =
    context;
  const { collections, inbox, ledger, members, moved, quotes, store, unplaced } = parts.storage;
  const { provider, rates, keys } = parts.outbound;
  const { callsInFlight } = config.service;
  const { resendGraceMs, retryAllowedAfterMs, unconfirmedAlarmAfterMs, leaseMs } = config.timings;

  const turns = turnStore(store);
  const getIdleMs = (channel: string) => directory.now().idleMsOf(channel);
  const lastLeft = (dialogueId: string) => parts.replyGate.lastLeft(dialogueId);
  const reconciliation = createReconciliation({
    ...{ collections, unplaced, accountOf, clock, ids, log, keys, isPaused: rates.isPaused },
    rules: { resendGraceMs, retryAllowedAfterMs, unconfirmedAlarmAfterMs, feeCap: config.fees },
    onClosed: parts.metrics.closed,
    notify: parts.notifications?.writesFor,
    onNotified: parts.notifications?.queue.expect,
  });
  const calls = {
    ...{ reconciliation, collections, provider, keyOf, clock },
    sendTimes: createSendTimes(clock),
    screenSent: ({ dialogueId, openedAt }: Pick<CollectionRow, 'dialogueId' | 'openedAt'>) =>
      parts.replyGate.sent(dialogueId, openedAt),
    hasWaitingEvent: inbox.hasWaiting,
    home: members.name,
    lastSession: (msisdn: Msisdn) => findLastSession({ turns, clock, idleMsOf: getIdleMs, lastLeft }, msisdn),
  };
  const recovery = createRecovery({
    ...{ store: recoveryStore(store, moved), origin: parts.storage.origin },
    ...{ livemode, clock, ids, log, retryAllowedAfterMs },
    everyMs: Math.max(5 * second, maxIdleMs),
  });
  const sealLag = createSealLag({ ledger, clock, log }, maxIdleMs);
  /** Of several gateways, one at a time does the work. */
  const alone = (job: PeriodicJob): PeriodicJob => ({
    ...job,
    run: async (now) => (await members.runAlone(job.name, () => job.run(now))) ?? 'done',
  });
  const isReady = async () => (await parts.readiness()).status === 'ready';
  const periodicJobs = [
    sealJob({ ledger, clock, key: signing.key, countMembers: members.count }, maxIdleMs),
    headJob(ledger, log),
    sealLag.job,
    alone(quotePruneJob(quotes, Math.max(60 * second, maxIdleMs))),
    recovery.job,
    alone(insightJob(store, Math.max(10 * second, maxIdleMs))),
    alone(retentionJob(retentionStore(store), config.retention, { log, engine: store.engine })),
    alone(requestPruneJob(requestStore(store))),
    unplacedAlarmJob(async () => {
      const sums = await sumUnplaced(store, clock.now());
      return sums.filter(({ merchantId }) => !moved.has(merchantId));
    }, log),
    ...(parts.notifications ? [alone(parts.notifications.pruneJob)] : []),
    ...(parts.alerts ? [parts.alerts.job] : []),
    ...(config.heartbeat ? [heartbeatJob({ fetch, networkClock, log, isReady }, config.heartbeat)] : []),
  ];
  const hasOtherChannels = (merchantId: string) =>
    directory.now().merchants.get(merchantId)?.otherChannels === true;
  const events = inboxQueue(
    { reconciliation, collections, unplaced, inbox, accountOf, hasOtherChannels, clock, ids, log },
    { livemode, leaseMs },
  );
  const queues = [
    collectionQueue(calls, rates, { livemode, leaseMs, callsInFlight }),
    events,
    ...periodicJobs.map((job) => periodic(job, clock)),
    ...(parts.notifications ? [parts.notifications.queue] : []),
  ];
  const worker = new Worker({ clock, log, queues }, { inFlight: callsInFlight, maxIdleMs });
  return { worker, events, recovery, reconciliation, sealLag };
}
