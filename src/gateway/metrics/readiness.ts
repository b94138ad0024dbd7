import type { EpochMs } from '../../shared/clock.ts';
import type { DiskSpace } from '../../sqlite/disk-space.ts';
import type { Store } from '../../sqlite/store.ts';
import type { Readiness } from './readiness-state.ts';

export type ReadinessDeps = {
  store: Store;
  space: DiskSpace;
  worker: { isAlive(): boolean };
  recovery: { isRunning(): boolean };
  health: { unavailableMerchants(): readonly string[] };
  rates: { pausedMerchants(): readonly string[] };
  keys: { rejectedMerchants(): readonly string[] };
  isDraining(): boolean;
  /** True when new blocks of the ledger are not signed, although earlier ones are. */
  isUnsigned(): boolean;
  /** Counts the unplaced payments that wait for a person. */
  countUnplaced(): Promise<number>;
  /** Counts the endpoints of merchants' systems that accept no notification, and those that were disabled for it. */
  countFailingEndpoints(): Promise<number>;
  /** Returns when the last verified backup was made; null without one, and `undefined` when none is expected. */
  lastBackupAt(): Promise<EpochMs | null | undefined>;
};

/** Creates the readiness check: whether a load balancer may send payers and webhooks to this gateway. */
export function createReadiness(deps: ReadinessDeps) {
  const {
    store,
    space,
    worker,
    recovery,
    health,
    rates,
    keys,
    isDraining,
    isUnsigned,
    countUnplaced,
    countFailingEndpoints,
    lastBackupAt,
  } = deps;
  return async (): Promise<Readiness> => {
    const database = await store.read
      .get('SELECT count(*) FROM seal WHERE number = 1')
      .then(store.usable, () => false);
    const hasSpace = !database || (await space.isAvailable(store));
    const checks = { database, worker: worker.isAlive(), draining: isDraining() };
    const unplacedPayments = database ? await countUnplaced().catch(() => 0) : 0;
    const failingEndpoints = database ? await countFailingEndpoints().catch(() => 0) : 0;
    const backupAt = database ? await lastBackupAt().catch(() => undefined) : undefined;
    const isReady = database && hasSpace && checks.worker && !checks.draining;
    return {
      status: isReady ? 'ready' : 'not ready',
      ...checks,
      ...(hasSpace ? {} : { diskFull: true }),
      ...(recovery.isRunning() ? { recovering: true } : {}),
      ...(health.unavailableMerchants().length > 0 ? { serviceUnavailable: true } : {}),
      ...(rates.pausedMerchants().length > 0 ? { rateLimited: true } : {}),
      ...(keys.rejectedMerchants().length > 0 ? { keyRejected: true } : {}),
      ...(isUnsigned() ? { ledgerUnsigned: true } : {}),
      ...(unplacedPayments > 0 ? { unplacedPayments } : {}),
      ...(failingEndpoints > 0 ? { failingEndpoints } : {}),
      ...(backupAt === undefined
        ? {}
        : { lastBackupAt: backupAt === null ? null : new Date(backupAt).toISOString() }),
    };
  };
}
