import { connectForReading, readingStore } from './read-connection.ts';
import type { Snapshots } from './store.ts';

/**
 * Opens a file for reads that each see it as it is at their beginning. They run one after the other on one connection; between
 * them, it holds no snapshot, which would keep the write-ahead log from shrinking.
 *
 * @throws UserError as `connectForReading` does.
 */
export function createSqliteSnapshots(file: string): Snapshots {
  const connection = connectForReading(file);
  const store = readingStore(connection);
  let last: Promise<unknown> = Promise.resolve();

  async function readNow<Result>(work: Parameters<Snapshots['read']>[0]): Promise<Result> {
    connection.exec('BEGIN');
    try {
      return (await work(store)) as Result;
    } finally {
      connection.exec('ROLLBACK');
    }
  }

  return {
    read(work) {
      const result = last.then(() => readNow<Awaited<ReturnType<typeof work>>>(work));
      last = result.catch(() => {});
      return result;
    },
    async close() {
      await last;
      await store.close();
    },
  };
}
