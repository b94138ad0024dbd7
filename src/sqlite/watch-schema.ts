import { expectedSchema, readSchemaObjects, schemaDifferences } from './compare-schema.ts';
import type { Database } from './driver.ts';
import { StoreFault } from './store.ts';

/**
 * Creates the check that each transaction of a writer begins with. Another process can plant a trigger in the file while
 * this one uses it; the trigger would run in the next write. SQLite increments the schema's version with every change, so
 * that the check costs one small read.
 *
 * @returns a function that throws a `StoreFault` of the kind `broken` after a change other than `ANALYZE` or `VACUUM`.
 */
export function createSchemaWatch(connection: Database, folder: string): () => void {
  const version = connection.prepare('PRAGMA schema_version').pluck();
  let accepted = version.get();
  return () => {
    const found = version.get();
    if (found === accepted) return;
    const [difference] = schemaDifferences(readSchemaObjects(connection), expectedSchema(folder));
    if (difference !== undefined)
      throw new StoreFault('broken', `another process has changed the schema: ${difference}`);
    accepted = found;
  };
}
