import { Gauge, type Registry } from 'prom-client';
import type { TodayTotals } from '../insights/totals-query.ts';

/** Counts by merchant; a merchant without an entry has none. `undefined` when they could not be read. */
export type ByMerchant = ReadonlyMap<string, number> | undefined;

/** The state of the gateway at a scrape. */
export type GatewayState = {
  isReady: boolean;
  isDiskFull: boolean;
  isRecovering: boolean;
  /** Unplaced payments. */
  unplaced: ByMerchant;
  /** Their amount in suspense, in pesewas. */
  unplacedMinor: ByMerchant;
  /** Payments that no poll has confirmed. */
  unconfirmed: ByMerchant;
  /** Collections without a result, and the age of the oldest one in seconds. */
  open: ByMerchant;
  oldestOpenSeconds: ByMerchant;
  /** Collections that a person must decide, and the age of the oldest one in seconds. */
  reviews: ByMerchant;
  oldestReviewSeconds: ByMerchant;
  /** Endpoints of merchants' systems that accept no notification, and that were disabled. */
  failingEndpoints: ByMerchant;
  disabledEndpoints: ByMerchant;
  /** The balance of the account of suspended money, in pesewas; `undefined` when it could not be read. */
  suspenseMinor: number | undefined;
  /** For how long the oldest row without a block has waited for it, in seconds; `undefined` when it could not be read. */
  unsealedSeconds: number | undefined;
  /** Age of the last verified backup in seconds; `undefined` without one. */
  lastBackupAgeSeconds: number | undefined;
  /** For how long the first job of each queue has been due, in seconds; 0 when none is due. */
  lagSeconds: ReadonlyMap<string, number>;
  /** 1 for each merchant whose calls the service does not answer. */
  unavailable: ReadonlyMap<string, number>;
  /** 1 for each merchant whose calls the service limits. */
  rateLimited: ReadonlyMap<string, number>;
  /** The totals of today; `undefined` when they could not be read. */
  today: TodayTotals | undefined;
};

const flags = [
  ['ready', '1 while the gateway accepts payers and webhooks.', 'isReady'],
  ['disk_full', '1 while the disk is full.', 'isDiskFull'],
  ['recovering', '1 during the recovery after a restore.', 'isRecovering'],
] as const;

const byMerchant = [
  ['unplaced_payments', 'Payments that no collection explains and that wait for a decision.', 'unplaced'],
  ['unplaced_pesewas', 'Suspended amount of the unplaced payments, in pesewas.', 'unplacedMinor'],
  ['unconfirmed_payments', 'Payments that no poll has confirmed.', 'unconfirmed'],
  ['open_collections', 'Collections without a result.', 'open'],
  ['oldest_open_seconds', 'Age of the oldest collection without a result.', 'oldestOpenSeconds'],
  ['reviews', 'Collections that a person must decide.', 'reviews'],
  ['oldest_review_seconds', 'Age of the oldest collection that a person must decide.', 'oldestReviewSeconds'],
  ['endpoints_failing', 'Notification endpoints whose last delivery failed.', 'failingEndpoints'],
  ['endpoints_disabled', 'Notification endpoints that were disabled.', 'disabledEndpoints'],
  ['service_unavailable', '1 while the service does not answer the calls of the merchant.', 'unavailable'],
  ['rate_limited', '1 while the calls of the merchant are paused after a 429.', 'rateLimited'],
] as const;

/** Creates the gauges, and returns the function that sets them. A merchant has a series while its count is known. */
export function createStateGauges(
  registry: Registry,
  merchants: readonly string[],
): (state: GatewayState) => void {
  const gauge = <L extends string>(name: string, help: string, labelNames: L[] = []) =>
    new Gauge({ name: `dialtill_${name}`, help, labelNames, registers: [registry] });
  const ofGateway = flags.map(([name, help, key]) => [gauge(name, help), key] as const);
  const ofMerchants = byMerchant.map(([name, help, key]) => [gauge(name, help, ['merchant']), key] as const);
  const suspense = gauge('suspense_pesewas', 'Balance of the account of suspended money, in pesewas.');
  const unsealed = gauge('unsealed_seconds', 'Age of the oldest row of the ledger without a block.');
  const backup = gauge('last_backup_age_seconds', 'Age of the last verified backup of the database file.');
  const labels = ['merchant', 'channel', 'network', 'outcome'];
  const payments = gauge(
    'today_payments',
    'Payments that were opened today, by their present outcome.',
    labels,
  );
  const charged = gauge('today_charged_pesewas', 'What payers were charged for them, in pesewas.', labels);
  const dialogues = gauge('today_dialogues', 'Dialogues that began today, by their result.', [
    ...['merchant', 'channel', 'result'],
  ]);
  const known = new Set(merchants);
  const lag = gauge('queue_lag_seconds', 'For how long the first job of the queue has been due.', ['queue']);
  return (state) => {
    for (const [one, key] of ofGateway) one.set(Number(state[key]));
    for (const [one, key] of ofMerchants) {
      // An older count is removed when the current one is unknown.
      one.reset();
      const counts = state[key];
      for (const merchant of counts ? merchants : []) one.set({ merchant }, counts?.get(merchant) ?? 0);
    }
    setIfKnown(suspense, state.suspenseMinor);
    setIfKnown(unsealed, state.unsealedSeconds);
    setIfKnown(backup, state.lastBackupAgeSeconds);
    for (const one of [payments, charged, dialogues]) one.reset();
    for (const { payments: count, chargedMinor, ...of } of state.today?.payments ?? []) {
      if (!known.has(of.merchant)) continue;
      payments.set(of, count);
      if (of.outcome === 'paid') charged.set(of, chargedMinor);
    }
    for (const { dialogues: count, ...of } of state.today?.dialogues ?? [])
      if (known.has(of.merchant)) dialogues.set(of, count);
    lag.reset();
    for (const [queue, seconds] of state.lagSeconds) lag.set({ queue }, seconds);
  };
}

/** Sets a gauge without labels, which has no series while its value is unknown. */
function setIfKnown(gauge: Gauge, value: number | undefined): void {
  gauge.reset();
  gauge.remove();
  if (value !== undefined) gauge.set(value);
}
