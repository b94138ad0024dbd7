import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, cpSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { migratePostgres } from '../../src/postgres/migrate.ts';
import { createPostgresReader, createPostgresSnapshots } from '../../src/postgres/reader.ts';
import { spaceProbe } from '../../src/postgres/server.ts';
import type { Store } from '../../src/sqlite/store.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { createClient, createDatabase, openPostgres, runSql } from '../kit/postgres.ts';
import { startEmbeddedPostgres } from '../kit/start-postgres.ts';
import { isRecovering, openingOf } from './gateway.ts';

const count = (store: Store) => store.query('SELECT count(*) FROM collection', [], 'row');

test('the first start creates the schema of the ledger, wherever the search path leads', async () => {
  const url = await createDatabase('template0');
  await runSql(url, 'CREATE SCHEMA till');
  await runSql(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET search_path = till`);
  const stores = await Promise.all([openPostgres(url), openPostgres(url)]);
  const tables = `SELECT DISTINCT relnamespace::regnamespace::text AS schema FROM pg_class WHERE relname IN ('collection', 'fact')`;
  expect(await runSql(url, tables)).toEqual([{ schema: 'dialtill' }]);
  for (const store of stores) expect(await store.ledgerDifferences()).toEqual([]);
});

/** Tables of another program, in the schemas to which the search path of a role leads by itself. */
const others = ['CREATE SCHEMA AUTHORIZATION CURRENT_USER', 'CREATE TABLE public.ledger_file (n int)'].concat(
  ['"$user"', 'public'].map((path) => `SET search_path = ${path}; CREATE TABLE collection (n int)`),
);

test.each(['before', 'after'])(
  'tables of another program with the same names, in public and in the schema of the role, do not matter: created %s the first start',
  async (when) => {
    const { url, own, database, role } = await createRole();
    await runSql(url, `ALTER DATABASE ${database} OWNER TO ${role}; ALTER SCHEMA public OWNER TO ${role}`);
    if (when === 'before') await runSql(own, others.join('; '));
    const one = await openPostgres(own, { maxConnections: 1 });
    await one.apply(openingOf('0244123456'));
    if (when === 'after') await runSql(own, others.join('; '));
    const two = await openPostgres(own);
    const reader = await createPostgresReader(own);
    const snapshots = createPostgresSnapshots({ url: own, maxConnections: 1, maxStatementMs: 5_000 });
    onTestFinished(() => snapshots.close());
    expect([await count(one), await count(two), await count(reader), await snapshots.read(count)]).toEqual(
      Array(4).fill([1]),
    );
    expect(await reader.ledgerDifferences()).toEqual([]);
    await reader.close();
    // The same payer has an open payment, whichever gateway asks.
    expect(await two.apply(openingOf('0244123456'))).toBe(false);
    expect(await isRecovering(own)).toBe(false);
  },
);

test('the ledger of an earlier version with fewer tables is upgraded and moved at a start', async () => {
  const url = await createDatabase('template0');
  const folder = temporaryFolder();
  cpSync('drizzle/postgres/gateway', folder, { recursive: true });
  const journal = join(folder, 'meta/_journal.json');
  const { entries, ...rest } = JSON.parse(readFileSync(journal, 'utf8'));
  writeFileSync(journal, JSON.stringify({ ...rest, entries: entries.slice(0, 4) }));
  const client = createClient(url);
  await client.connect();
  await migratePostgres(client, folder);
  await client.query('ALTER SCHEMA dialtill RENAME TO "Till 1"');
  await client.end();
  const onSchemaMoved = vi.fn();
  const store = await openPostgres(url, { onSchemaMoved });
  expect(onSchemaMoved).toHaveBeenCalledExactlyOnceWith('"Till 1"');
  expect(await store.ledgerDifferences()).toEqual([]);
  const left = `SELECT 1 FROM pg_class WHERE relnamespace = '"Till 1"'::regnamespace`;
  expect(await runSql(url, left)).toEqual([]);
});

test('two ledgers in one database are named, and no gateway takes one of them', async () => {
  const url = await createDatabase();
  await runSql(url, 'CREATE TABLE public.ledger_file (); CREATE TABLE public."__drizzle_migrations" ()');
  await expect(openPostgres(url)).rejects.toThrow(
    'there are two ledgers: in the schemas dialtill and public',
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

test('the message for a role that may not create the schema has the statements that give it the right', async () => {
  const { url, own, role } = await createRole();
  const rights = `CREATE SCHEMA IF NOT EXISTS dialtill; GRANT ALL ON SCHEMA dialtill TO ${role}`;
  await expect(openPostgres(own)).rejects.toThrow(
    `the role ${role} may not create tables in the schema dialtill of this database. Run as the owner of the database: ${rights}.`,
  );
  await runSql(url, 'CREATE SCHEMA dialtill');
  await expect(openPostgres(own)).rejects.toThrow(rights);
  await runSql(url, rights);
  expect(await count(await openPostgres(own))).toEqual([0]);
});

test('a role that only reads needs the schema and its tables, and no other right', async () => {
  const { url, own, role } = await createRole();
  await expect(createPostgresReader(own)).rejects.toThrow('there is no ledger in this database');
  await openPostgres(url);
  await runSql(url, `GRANT SELECT ON ALL TABLES IN SCHEMA dialtill TO ${role}`);
  await expect(createPostgresReader(own)).rejects.toThrow('permission denied for schema dialtill');
  await runSql(url, `GRANT USAGE ON SCHEMA dialtill TO ${role}`);
  const reader = await createPostgresReader(own);
  expect(await count(reader)).toEqual([0]);
  await reader.close();
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
