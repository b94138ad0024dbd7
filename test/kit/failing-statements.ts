import { connect, type Database } from '../../src/sqlite/driver.ts';
import { createSqliteStore } from '../../src/sqlite/sqlite.ts';

/*
 * Statements that fail, as on a damaged disk. The triggers are temporary and exist on the program's own connection: a
 * trigger in the file would end the program, because a store does not write to a file whose schema was changed.
 */

const connections = new Map<string, Database>();
const plantedTriggers = new Map<string, Map<string, string>>();

/** Creates stores for `plantTrigger`. */
export const createStoreWithTriggers: typeof createSqliteStore = (options) =>
  createSqliteStore({
    ...options,
    connect(file) {
      const connection = connect(file);
      connections.set(file, connection);
      for (const sql of plantedTriggers.get(file)?.values() ?? []) connection.exec(sql);
      return connection;
    },
  });

/** Adds a trigger to the program that uses a file, also after it opens the file again. `rule` follows the trigger's name. */
export function plantTrigger(file: string, name: string, rule: string): void {
  const sql = `CREATE TEMP TRIGGER ${name} ${rule}`;
  plantedTriggers.set(file, new Map(plantedTriggers.get(file)).set(name, sql));
  const connection = connections.get(file);
  if (connection?.open) connection.exec(sql);
}

export function removeTrigger(file: string, name: string): void {
  plantedTriggers.get(file)?.delete(name);
  const connection = connections.get(file);
  if (connection?.open) connection.exec(`DROP TRIGGER temp.${name}`);
}
