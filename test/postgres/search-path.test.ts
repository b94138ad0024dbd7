import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { lockServer } from '../../src/postgres/ledger-target.ts';
import { createPostgresStore } from '../../src/postgres/postgres.ts';
import { createPostgresReader, createPostgresSnapshots } from '../../src/postgres/reader.ts';
import { spaceProbe } from '../../src/postgres/server.ts';
import type { Store } from '../../src/sqlite/store.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { begin, createDatabase, openPostgres, runSql, untilWaiting } from '../kit/postgres.ts';
import { startEmbeddedPostgres } from '../kit/start-postgres.ts';
import { openingOf } from './gateway.ts';

const count = (store: Store) => store.query('SELECT count(*) FROM collection', [], 'row');

/** Sets the search path of new connections. */
const lead = (url: string, path: string) =>
  runSql(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET search_path = ${path}`);

test('a schema with the name of the role hides no ledger: not at the next start, and not from what is open', async () => {
  const url = await createDatabase();
  const one = await openPostgres(url, { maxConnections: 1 });
  await one.apply(openingOf('0244123456'));
  await runSql(url, 'CREATE SCHEMA AUTHORIZATION CURRENT_USER');
  const two = await openPostgres(url);
  const reader = await createPostgresReader(url);
  expect([await count(one), await count(two), await count(reader)]).toEqual([[1], [1], [1]]);
  await reader.close();
  // The same payer has an open payment, whichever gateway asks.
  expect(await two.apply(openingOf('0244123456'))).toBe(false);
});

test('a ledger outside of the search path is named, and no second one begins', async () => {
  const url = await createDatabase();
  await runSql(url, 'CREATE SCHEMA till');
  await lead(url, 'till');
  const refusal = 'the ledger is in the schema "public", to which the search_path of the role does not lead';
  await expect(openPostgres(url)).rejects.toThrow(refusal);
  await expect(createPostgresReader(url)).rejects.toThrow(refusal);
  await expect(lockServer(url)).rejects.toThrow(refusal);
  await lead(url, 'till, public');
  expect(await count(await openPostgres(url))).toEqual([0]);
});

test('a search path that is changed while a gateway runs changes no connection that it opens later', async () => {
  const url = await createDatabase();
  const store = await openPostgres(url, { maxConnections: 2 });
  await store.apply(openingOf('0244123456'));
  await runSql(url, 'CREATE SCHEMA till');
  await lead(url, 'till');
  // One of them uses the connection that is open.
  const both = [count(store), store.query('SELECT count(*), pg_sleep(0.1) FROM collection', [], 'row')];
  expect(await Promise.all(both)).toEqual([[1], [1, '']]);
  const snapshots = createPostgresSnapshots({
    url,
    maxConnections: 1,
    maxStatementMs: 5_000,
    schema: 'public',
  });
  onTestFinished(() => snapshots.close());
  expect(await snapshots.read(count)).toEqual([1]);
});

test('a new ledger is created in the schema to which the search path leads', async () => {
  const url = await createDatabase('template0');
  await runSql(url, 'CREATE SCHEMA till');
  await lead(url, 'till');
  expect(await count(await openPostgres(url))).toEqual([0]);
  expect(await runSql(url, `SELECT to_regclass('till.collection') IS NOT NULL AS found`)).toEqual([
    { found: true },
  ]);
  // Its objects are those that the program expects, in that schema.
  expect(await (await openPostgres(url)).ledgerDifferences()).toEqual([]);
});

test('of two starts on an empty database, with search paths of their own, one begins the ledger, and the other one names it', async () => {
  const url = await createDatabase('template0');
  await runSql(url, 'CREATE SCHEMA till');
  // Both have looked for a ledger, and wait to create one.
  const open = await begin(url);
  await open.query(`SELECT pg_advisory_xact_lock(${0x64_69_61_6c})`);
  const first = createPostgresStore({ url });
  await untilWaiting(url, 1);
  await lead(url, 'till');
  const second = createPostgresStore({ url });
  await untilWaiting(url, 2);
  await open.query('COMMIT');
  await expect(second).rejects.toThrow('the ledger is in the schema "public"');
  await (await first).close();
});

test('two ledgers in the search path are named, and no gateway takes one of them', async () => {
  const url = await createDatabase();
  await runSql(url, 'CREATE SCHEMA till');
  await runSql(url, 'CREATE TABLE till.ledger_file (cluster text)');
  expect(await count(await openPostgres(url))).toEqual([0]);
  await lead(url, 'till, public');
  await expect(openPostgres(url)).rejects.toThrow(
    'there are two ledgers: in the schemas "till" and "public"',
  );
});

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

/** Creates a certificate for a name with openssl. Returns its file; `undefined` on a machine without openssl. */
function createCertificate(folder: string, name: string): string | undefined {
  const file = join(folder, `${name}.crt`);
  const names = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`];
  const key = ['-newkey', 'rsa:2048', '-nodes', '-keyout', join(folder, `${name}.key`)];
  try {
    execFileSync('openssl', ['req', '-x509', '-days', '2', ...names, ...key, '-out', file], {
      stdio: 'ignore',
    });
    return file;
  } catch {
    return undefined;
  }
}

/** Starts a server whose certificate is for `localhost`. Returns the URL of a database, and the certificate. */
async function startWithTls(certificate: string): Promise<URL> {
  const server = await startEmbeddedPostgres();
  onTestFinished(() => server.stop());
  const { uid, gid } = statSync(server.folder);
  for (const end of ['crt', 'key']) {
    const file = join(server.folder, `server.${end}`);
    copyFileSync(certificate.replace(/crt$/, end), file);
    chownSync(file, uid, gid);
    chmodSync(file, 0o600);
  }
  const admin = `${server.url}/postgres`;
  await runSql(admin, 'CREATE DATABASE ledger');
  await runSql(admin, 'ALTER SYSTEM SET ssl = on');
  await runSql(admin, 'SELECT pg_reload_conf()');
  await vi.waitFor(async () => expect(await runSql(admin, 'SHOW ssl')).toEqual([{ ssl: 'on' }]), 20_000);
  const url = new URL(`${server.url}/ledger`);
  url.hostname = 'localhost';
  return url;
}

test('with sslmode=verify-full and sslrootcert, a gateway uses TLS, and accepts no other certificate or name', async (context) => {
  const folder = temporaryFolder();
  const own = createCertificate(folder, 'localhost');
  const other = createCertificate(folder, 'elsewhere');
  if (!own || !other) return context.skip('openssl is not installed');
  const url = await startWithTls(own);
  const withRoot = (root: string, hostname = 'localhost') => {
    const changed = new URL(url);
    changed.hostname = hostname;
    changed.search = `?sslmode=verify-full&sslrootcert=${root}`;
    return changed.href;
  };
  const store = await openPostgres(withRoot(own));
  const isEncrypted = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()';
  expect(await store.query(isEncrypted, [], 'row')).toEqual([1]);
  await expect(openPostgres(withRoot(other))).rejects.toThrow(/self-signed certificate/);
  await expect(openPostgres(withRoot(own, '127.0.0.1'))).rejects.toThrow(/IP: 127.0.0.1 is not in the cert/);
  // Without sslmode the connection is not encrypted, which docs/postgresql.md states.
  const plain = await openPostgres(url.href);
  expect(await plain.query(isEncrypted, [], 'row')).toEqual([0]);
});
