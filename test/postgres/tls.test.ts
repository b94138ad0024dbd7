import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../kit/folder.ts';
import { openPostgres, runSql } from '../kit/postgres.ts';
import { startEmbeddedPostgres } from '../kit/start-postgres.ts';

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
