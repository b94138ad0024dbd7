import { expectedSchema, readSchemaObjects, schemaDifferences } from './compare-schema.ts';
import type { Database } from './driver.ts';
import { StoreFault } from './store.ts';

/**
 * Creates the check that each transaction of a writer begins with. Another process can plant a trigger in the file while
 * this one uses it; the trigger would run in the next write. The schema is compared at the first transaction and after each
 * commit of another process, which SQLite counts in memory that the file cannot forge, so that the check costs one small
 * read. The version of the schema is in the file, where it can be set back.
 *
 * @returns a function that throws a `StoreFault` of the kind `broken` after a change other than `ANALYZE` or `VACUUM`.
 */
export function createSchemaWatch(connection: Database, folder: string): () => void {
  const version = connection.prepare('PRAGMA data_version').pluck();
  let accepted: unknown;
  return () => {
    const found = version.get();
    if (found === accepted) return;
    const [difference] = schemaDifferences(readSchemaObjects(connection), expectedSchema(folder));
    if (difference !== undefined)
      throw new StoreFault('broken', `another process has changed the schema: ${difference}`);
    accepted = found;
  };
}
