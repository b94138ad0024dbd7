import type { Space } from '../sqlite/space.ts';
import type { Store } from '../sqlite/store.ts';

export type ReadinessDeps = {
  store: Store;
  space: Space;
  worker: { isAlive(): boolean };
  recovery: { isRunning(): boolean };
  isDraining(): boolean;
};

/** How the gateway stands. What is only now and then so is said only then. */
export type Readiness = {
  status: 'ready' | 'not ready';
  database: boolean;
  worker: boolean;
  draining: boolean;
  /** Nothing could be written at the last try, for want of space. */
  diskFull?: true;
  /** Webhooks and notices are taken meanwhile: a gateway that recovers is ready. */
  recovering?: true;
};

/** Says whether payers and the service can be sent to this gateway. */
export function createReadiness({ store, space, worker, recovery, isDraining }: ReadinessDeps) {
  return async (): Promise<Readiness> => {
    const database = await store.read
      .get('SELECT count(*) FROM seal WHERE number = 1')
      .then(store.usable, () => false);
    const hasSpace = !database || (await space.isThere(store));
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
