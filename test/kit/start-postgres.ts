import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { loadEmbeddedPostgres } from './embedded-postgres.ts';

/**
 * Starts a PostgreSQL. Its files are in memory where the machine has memory for files, in a folder that an unprivileged user
 * can enter, because PostgreSQL refuses to run as root.
 *
 * @returns its URL without a database, its log, and a function that stops it and deletes its files.
 * @throws when this platform has no binary.
 */
export async function startEmbeddedPostgres() {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : '/tmp', 'dialtill-postgres-'));
  const log: string[] = [];
  const port = await freePort();
  const EmbeddedPostgres = await loadEmbeddedPostgres();
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user: 'dialtill',
    password: 'dialtill',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale=C'],
    postgresFlags: ['-c', 'unix_socket_directories=', '-c', 'max_connections=100'],
    onLog: (line) => void log.push(String(line)),
    onError: (line) => void log.push(String(line)),
  });
  try {
    await withTemporaryFolder(dirname(folder), () => server.initialise());
    await server.start();
  } catch (cause) {
    rmSync(folder, { recursive: true, force: true });
    throw new Error(
      `cannot start PostgreSQL on ${process.platform} ${process.arch}: ${log.slice(-5).join('').trim()} ${String(cause)}. ` +
        'To use a server of your own: DIALTILL_TEST_POSTGRES=postgres://user:password@127.0.0.1:5432 npm run test:postgres',
      { cause },
    );
  }
  return {
    url: `postgres://dialtill:dialtill@127.0.0.1:${port}`,
    /** Lines of the server's log so far. */
    logged: () => log.join('').split('\n'),
    stop: () => server.stop(),
  };
}

/** Runs `work` with a folder for temporary files that the user of the server can enter: it reads its password there. */
async function withTemporaryFolder(folder: string, work: () => Promise<unknown>): Promise<void> {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  try {
    await work();
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}

/** Returns a port that was free a moment ago. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
