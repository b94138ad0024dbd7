import { expect, onTestFinished, test } from 'vitest';
import { spaceProbe } from '../../src/postgres/space-probe.ts';
import { createDatabase, openPostgres, runSql } from '../kit/postgres.ts';

let roles = 0;

/** Creates a database without tables and a role. Returns the URL of each, and their names. */
async function createRole() {
  const url = await createDatabase('template0');
  const database = new URL(url).pathname.slice(1);
  const role = `role_${process.pid}_${++roles}`;
  await runSql(url, `CREATE ROLE ${role} LOGIN PASSWORD 'dialtill'`);
  onTestFinished(async () => {
    await runSql(new URL('/postgres', url).href, `DROP DATABASE ${database} WITH (FORCE)`);
    await runSql(new URL('/postgres', url).href, `DROP ROLE ${role}`);
  });
  const own = new URL(url);
  own.username = role;
  return { url, own: own.href, database, role };
}

test('a role that owns the database, without the right to temporary tables, can look for space on the disk', async () => {
  const { url, own, database, role } = await createRole();
  await runSql(url, `ALTER DATABASE ${database} OWNER TO ${role}`);
  await runSql(url, `REVOKE TEMPORARY ON DATABASE ${database} FROM PUBLIC, ${role}`);
  await expect(runSql(own, 'CREATE TEMPORARY TABLE one (n int)')).rejects.toThrow('permission denied');
  const store = await openPostgres(own);
  // Two gateways at once, too.
  expect(await Promise.all([store.apply(spaceProbe), store.apply(spaceProbe)])).toEqual([true, true]);
  expect(await runSql(url, `SELECT to_regclass('space_probe') AS found`)).toEqual([{ found: null }]);
});

test('a gateway does not start with a role that may not create tables, and names the right', async () => {
  const { own, role } = await createRole();
  await expect(openPostgres(own)).rejects.toThrow(
    `the role ${role} may not create tables in this database. Make it the owner of the database: ALTER DATABASE`,
  );
});
