import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadEmbeddedPostgres } from '../../tools/postgres/index.ts';
import { freePort } from '../process/free-port.ts';

/** A PostgreSQL of the tests. */
export type EmbeddedServer = {
  /** Its URL without a database. */
  url: string;
  /** The folder of its data. */
  folder: string;
  /** Lines of the server's log so far. */
  logged(): string[];
  /** Ends it and all its processes at once, without a last write, as the loss of its machine does. */
  kill(): void;
  /** Stops it and deletes its files. */
  stop(): Promise<void>;
};

/** Returns a new folder, in memory where the machine has memory for files. The user of the server can enter its parent. */
export function serverFolder(): string {
  return mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : '/tmp', 'dialtill-postgres-'));
}

/** Creates a server that does not run. Its data may not exist yet. */
export async function createEmbeddedServer(folder: string) {
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
  const remove = async () => rmSync(folder, { recursive: true, force: true });
  let stop = () => server.stop();
  const running: EmbeddedServer = {
    url: `postgres://dialtill:dialtill@127.0.0.1:${port}`,
    folder,
    logged: () => log.join('').split('\n'),
    kill() {
      const [pid] = readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n');
      process.kill(Number(pid), 'SIGQUIT');
      stop = remove;
    },
    stop: () => stop(),
  };
  return { server, log, running };
}

/**
 * Starts a PostgreSQL, as an unprivileged user, because it refuses to run as root.
 *
 * @throws when this platform has no binary.
 */
export async function startEmbeddedPostgres(folder = serverFolder()): Promise<EmbeddedServer> {
  const { server, log, running } = await createEmbeddedServer(folder);
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
  return running;
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
