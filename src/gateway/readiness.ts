import type { DiskSpace } from '../sqlite/disk-space.ts';
import type { Store } from '../sqlite/store.ts';

export type ReadinessDeps = {
  store: Store;
  space: DiskSpace;
  worker: { isAlive(): boolean };
  recovery: { isRunning(): boolean };
  isDraining(): boolean;
};

/** The body of `/readyz`. `diskFull` and `recovering` are present only when true. */
export type Readiness = {
  status: 'ready' | 'not ready';
  database: boolean;
  worker: boolean;
  draining: boolean;
  /** The last write failed because the disk was full. */
  diskFull?: true;
  /** The gateway accepts webhooks and end notices during a recovery, so it is ready. */
  recovering?: true;
};

/** Creates the readiness check: whether a load balancer may send payers and webhooks to this gateway. */
export function createReadiness({ store, space, worker, recovery, isDraining }: ReadinessDeps) {
  return async (): Promise<Readiness> => {
    const database = await store.read
      .get('SELECT count(*) FROM seal WHERE number = 1')
      .then(store.usable, () => false);
    const hasSpace = !database || (await space.isAvailable(store));
    const checks = { database, worker: worker.isAlive(), draining: isDraining() };
    const isReady = database && hasSpace && checks.worker && !checks.draining;
    return {
      status: isReady ? 'ready' : 'not ready',
      ...checks,
      ...(hasSpace ? {} : { diskFull: true }),
      ...(recovery.isRunning() ? { recovering: true } : {}),
    };
  };
}
