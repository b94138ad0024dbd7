import pg from 'pg';
import { UserError } from '../shared/errors.ts';

/** Any number that no other program uses for an advisory lock on this database: "till" in ASCII. */
const gatewayLock = 0x74_69_6c_6c;

/** A server notices within about 25 s that the machine of a connection is gone, and releases its lock. */
const settings = [
  'tcp_keepalives_idle = 10',
  'tcp_keepalives_interval = 5',
  'tcp_keepalives_count = 3',
  'idle_session_timeout = 0',
];

/** Time between attempts to take the lock again. */
const retryMs = 500;

export type ExclusiveOptions = {
  url: string;
  /** Called once when another gateway has taken the database meanwhile. This process must not write any more. */
  onTaken(): void;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
};

/**
 * Keeps a connection that makes this process the only gateway on a database. A lost connection is opened again, for as long
 * as the server is away. Another gateway may take the database meanwhile: its start has released the leases of this one, whose
 * later writes lose their guards.
 *
 * @returns a function that gives the database free.
 * @throws UserError when another gateway uses the database.
 */
export async function holdExclusively(options: ExclusiveOptions): Promise<() => Promise<void>> {
  const ending = new AbortController();
  let client = await take(options.url);
  if (client === undefined) throw new UserError('another gateway uses this database. Stop it first.');
  watch(client);

  function watch(held: pg.Client): void {
    held.once('end', () => void (ending.signal.aborted || takeAgain()));
  }

  async function takeAgain(): Promise<void> {
    while (!ending.signal.aborted) {
      const isReachable = await take(options.url).then(
        (taken) => {
          client = taken;
          return true;
        },
        () => false,
      );
      if (isReachable && client !== undefined) return watch(client);
      if (isReachable) return options.onTaken();
      await options.sleep(retryMs, ending.signal);
    }
  }

  return async () => {
    ending.abort();
    await client?.end().catch(() => {});
  };
}

/** Returns a connection with the lock; `undefined` when another connection has it. @throws when the server is away. */
async function take(url: string): Promise<pg.Client | undefined> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'dialtill gateway',
    keepAlive: true,
  });
  // Without a listener, an error between two statements would end the process; `end` follows it.
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(settings.map((one) => `SET ${one}`).join('; '));
    const found = await client.query(`SELECT pg_try_advisory_lock(${gatewayLock}) AS taken`);
    if (found.rows[0]?.taken === true) return client;
  } catch (fault) {
    await client.end().catch(() => {});
    throw fault;
  }
  await client.end();
  return undefined;
}
