import type { Clock } from '../shared/clock.ts';
import type { SchemaName } from './migrations-folder.ts';
import type { OnExposed } from './private-file.ts';
import type { Store, StoreFault } from './store.ts';

/*
 * How a store is opened, without the driver: a program that embeds the gateway or the service has no types of the driver.
 */

export type GroupCommitOptions = {
  clock: Clock;
  /** Called once when the file has failed permanently. The process must end and restart from what is on disk. */
  onBroken?: (fault: StoreFault) => void;
  /** Called with `true` when a write found no space, and with `false` when the next write succeeded. */
  onFull?: (isFull: boolean) => void;
  /** Called after each commit with its duration in milliseconds, for metrics. */
  onCommit?: (ms: number) => void;
  /** Runs `work` after everything that is ready now. Batches that arrive until then share one commit. */
  defer?: (work: () => void) => void;
};

export type StoreOptions = GroupCommitOptions & {
  file: string;
  schema: SchemaName;
  /** Called with each existing file of the database that other users could access, after its mode was corrected. */
  onExposed?: OnExposed;
};

/** Opens a store on a file, as `createSqliteStore` does. */
export type CreateStore = (options: StoreOptions) => Store;
