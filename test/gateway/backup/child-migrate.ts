import { Database } from '../../../src/sqlite/driver.ts';
import { migrate } from '../../../src/sqlite/migrate.ts';

/*
 * Upgrades a database and is killed during the migration:
 * `child-migrate.ts <file> <folder> <text>`, before the first statement that contains the text.
 */
const [file = '', folder = '', text = ''] = process.argv.slice(2);

const connection = new Database(file);
const prepare = connection.prepare.bind(connection);
connection.prepare = ((sql: string) => {
  if (sql.includes(text)) process.kill(process.pid, 'SIGKILL');
  return prepare(sql);
}) as typeof connection.prepare;
migrate(connection, folder);
