import Database from 'better-sqlite3';
import { systemClock } from '../../../src/shared/clock.ts';
import { createSqliteStore } from '../../../src/sqlite/sqlite.ts';

/*
 * Opens a gateway's database as a new program does, and is killed within the migration:
 * `child-migrate.ts <file> <text>`, before the first statement that has the text in it.
 */
const [file = '', text = ''] = process.argv.slice(2);

createSqliteStore({
  file,
  schema: 'gateway',
  clock: systemClock(),
  connect(name) {
    const connection = new Database(name, { timeout: 0 });
    const prepare = connection.prepare.bind(connection);
    connection.prepare = ((sql: string) => {
      if (sql.includes(text)) process.kill(process.pid, 'SIGKILL');
      return prepare(sql);
    }) as typeof connection.prepare;
    return connection;
  },
});
