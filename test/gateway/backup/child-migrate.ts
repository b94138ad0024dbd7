import { Database } from '../../../src/sqlite/driver.ts';
import { migrate } from '../../../src/sqlite/migrate.ts';

/*
 * Upgrades a database and is killed during the migration:
 * `child-migrate.ts <file> <folder> <text>`, when the first statement that contains the text would run.
 */
const [file = '', folder = '', text = ''] = process.argv.slice(2);

const connection = new Database(file);
const prepare = connection.prepare.bind(connection);
connection.prepare = ((sql: string) => {
  const statement = prepare(sql);
  if (sql.includes(text)) statement.run = () => process.kill(process.pid, 'SIGKILL') as never;
  return statement;
}) as typeof connection.prepare;
migrate(connection, folder);
