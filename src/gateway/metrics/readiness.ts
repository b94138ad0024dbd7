import type { EpochMs } from '../../shared/clock.ts';
import type { DiskSpace } from '../../sqlite/disk-space.ts';
import type { Store } from '../../sqlite/store.ts';

type ReadinessDeps = {
  store: Store;
  space: DiskSpace;
  worker: { isAlive(): boolean };
  recovery: { isRunning(): boolean };
  sealLag: { measureIfLate(): Promise<number | undefined> };
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

/** Creates the check whether a load balancer may send payers and webhooks to this gateway. */
export function createReadiness(deps: ReadinessDeps) {
  const { store } = deps;
  return async (): Promise<Readiness> => {
    const database = await store.read
      .get('SELECT count(*) FROM seal WHERE number = 1')
      .then(store.usable, () => false);
    const hasSpace = !database || (await deps.space.isAvailable(store));
    const checks = { database, worker: deps.worker.isAlive(), draining: deps.isDraining() };
    const unplacedPayments = database ? await deps.countUnplaced().catch(() => 0) : 0;
    const failingEndpoints = database ? await deps.countFailingEndpoints().catch(() => 0) : 0;
    const sealLagMs = database ? await deps.sealLag.measureIfLate().catch(() => undefined) : undefined;
    const backupAt = database ? await deps.lastBackupAt().catch(() => undefined) : undefined;
    const isReady = database && hasSpace && checks.worker && !checks.draining;
    return {
      status: isReady ? 'ready' : 'not ready',
      ...checks,
      ...(hasSpace ? {} : { diskFull: true }),
      ...(deps.recovery.isRunning() ? { recovering: true } : {}),
      ...(deps.health.unavailableMerchants().length > 0 ? { serviceUnavailable: true } : {}),
      ...(deps.rates.pausedMerchants().length > 0 ? { rateLimited: true } : {}),
      ...(deps.keys.rejectedMerchants().length > 0 ? { keyRejected: true } : {}),
      ...(deps.isUnsigned() ? { ledgerUnsigned: true } : {}),
      ...(sealLagMs === undefined ? {} : { unsealedSeconds: Math.floor(sealLagMs / 1_000) }),
      ...(unplacedPayments > 0 ? { unplacedPayments } : {}),
      ...(failingEndpoints > 0 ? { failingEndpoints } : {}),
      ...(backupAt === undefined
        ? {}
        : { lastBackupAt: backupAt === null ? null : new Date(backupAt).toISOString() }),
    };
  };
}

/** The body of `/readyz`. Absent fields are false. */
export type Readiness = {
  status: 'ready' | 'not ready';
  database: boolean;
  worker: boolean;
  draining: boolean;
  /** The last write failed because the disk was full. */
  diskFull?: true;
  /** The gateway accepts webhooks and end notices during a recovery, so it is ready. */
  recovering?: true;
  /** The service does not answer the calls of a merchant. Another gateway would get no answer either, so this one is ready. */
  serviceUnavailable?: true;
  /** The service limits the calls with a merchant's key, and they are paused. */
  rateLimited?: true;
  /** The service rejects the key of a merchant. */
  keyRejected?: true;
  /** New blocks of the ledger are not signed, although earlier ones are. */
  ledgerUnsigned?: true;
  /** For how long the oldest row of the ledger has waited for its block, when sealing is late. */
  unsealedSeconds?: number;
  /** Number of payments that no collection explains and that wait for a person for more than 15 minutes. */
  unplacedPayments?: number;
  /** Number of endpoints whose last delivery failed, or that were disabled for it. */
  failingEndpoints?: number;
  /** When `dialtill backup` made the last verified backup, in RFC 3339; null when a live ledger in a file has none. */
  lastBackupAt?: string | null;
};
