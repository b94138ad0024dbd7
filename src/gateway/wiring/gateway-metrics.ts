import { version } from '../../shared/version.ts';
import { countOpen, countReviews, sumUnconfirmed } from '../collection/store/sums-query.ts';
import { readDayTotals } from '../insights/totals-query.ts';
import { dayMs } from '../ledger/day.ts';
import { createMetrics } from '../metrics/metrics.ts';
import type { Readiness } from '../metrics/readiness.ts';
import type { ByMerchant } from '../metrics/state-gauges.ts';
import { notificationStore } from '../notify/notification-store.ts';
import { countEndpoints } from '../notify/state-query.ts';
import { sumUnplaced } from '../unplaced/list-query.ts';
import type { GatewayContext } from './context.ts';
import type { Storage } from './storage.ts';

/** The state of the parts of the gateway; read at each scrape. */
type CurrentState = {
  readiness(): Promise<Readiness>;
  unavailable(): string[];
  rateLimited(): string[];
};

/**
 * Creates the metrics of the gateway. Each scrape reads its readiness, the payments that wait, the suspended money, and the
 * lag of the queues. What cannot be read has no series.
 */
export function createGatewayMetrics(
  { directory, clock, livemode }: GatewayContext,
  { store, collections, inbox, ledger, moved, commits }: Storage,
  current: CurrentState,
) {
  const build = { version, node: process.versions.node, database: store.engine };
  const { channels, merchants } = directory.now();
  const known = { channels: channels.keys(), merchants: merchants.keys(), build };
  const measureLag = (dueAt: number | null) => (dueAt === null ? 0 : Math.max(0, clock.now() - dueAt) / 1000);
  const measureAge = (at: number) => Math.max(0, clock.now() - at) / 1000;
  /** A live ledger without a backup is infinitely behind. */
  const findBackupAge = (at: string | null | undefined) => {
    if (at === undefined) return undefined;
    return at === null ? Number.POSITIVE_INFINITY : measureAge(Date.parse(at));
  };
  const metrics = createMetrics(known, async () => {
    const { status, diskFull = false, recovering = false, lastBackupAt } = await current.readiness();
    const orUnknown = <T>(read: Promise<T>) => read.catch(() => undefined);
    const unplaced = await orUnknown(sumUnplaced(store, clock.now()));
    const open = await orUnknown(countOpen(store));
    const reviews = await orUnknown(countReviews(store));
    const balances = await orUnknown(ledger.balances());
    const suspense = balances?.find((one) => one.account === 'suspense' && one.livemode === livemode);
    const unsealedAt = await orUnknown(ledger.oldestUnsealedAt());
    const endpoints = await orUnknown(countEndpoints(store, livemode));
    const today = Math.floor(clock.now() / dayMs) * dayMs;
    const waiting = await orUnknown(notificationStore(store, moved).listEndpoints(livemode));
    const dueNotification = waiting && (waiting.find(({ isActive }) => isActive)?.firstDue ?? null);
    const dueCollection = await orUnknown(collections.nextDueAt({ livemode, excludedMerchants: [] }));
    const dueEvent = await orUnknown(inbox.nextDueAt(livemode));
    return {
      ...{ isReady: status === 'ready', isDiskFull: diskFull, isRecovering: recovering },
      unconfirmed: sums(await orUnknown(sumUnconfirmed(store)), ({ count }) => count),
      unplaced: sums(unplaced, ({ count }) => count),
      unplacedMinor: sums(unplaced, ({ suspendedMinor }) => suspendedMinor),
      open: sums(open, ({ count }) => count),
      oldestOpenSeconds: sums(open, ({ oldestAt }) => measureAge(oldestAt)),
      reviews: sums(reviews, ({ count }) => count),
      oldestReviewSeconds: sums(reviews, ({ oldestAt }) => measureAge(oldestAt)),
      failingEndpoints: sums(endpoints, ({ failing }) => failing),
      disabledEndpoints: sums(endpoints, ({ disabled }) => disabled),
      suspenseMinor: balances && (suspense?.amountMinor ?? 0),
      unsealedSeconds: unsealedAt === undefined ? undefined : measureLag(unsealedAt),
      lastBackupAgeSeconds: findBackupAge(lastBackupAt),
      lagSeconds: new Map([
        ...(dueCollection === undefined ? [] : [['collections', measureLag(dueCollection)] as const]),
        ...(dueNotification === undefined ? [] : [['notifications', measureLag(dueNotification)] as const]),
        ...(dueEvent === undefined ? [] : [['inbox', measureLag(dueEvent)] as const]),
      ]),
      unavailable: new Map(current.unavailable().map((merchant) => [merchant, 1])),
      today: await orUnknown(readDayTotals(store, { start: today, livemode })),
      rateLimited: new Map(current.rateLimited().map((merchant) => [merchant, 1])),
    };
  });
  commits.onCommit = metrics.committed;
  return metrics;
}

/** Adds the values of each merchant, which can have rows of two modes. */
function sums<Row extends { merchantId: string }>(
  rows: readonly Row[] | undefined,
  of: (row: Row) => number,
): ByMerchant {
  if (rows === undefined) return undefined;
  const found = new Map<string, number>();
  for (const row of rows) found.set(row.merchantId, (found.get(row.merchantId) ?? 0) + of(row));
  return found;
}
