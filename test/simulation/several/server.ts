import type { openPostgresGateway } from '../../../src/postgres/member.ts';
import { createQueryRunner, Database, isUniqueViolation, toStoreFault } from '../../../src/sqlite/driver.ts';
import { createQueryBuilder, type RunQuery, StoreFault, type Write } from '../../../src/sqlite/store.ts';
import type { Part } from '../scene.ts';
import { createLeaseChecks } from './leases.ts';
import { createMembers } from './members.ts';
import { createReadCommitted, GivenUp, type Transaction } from './read-committed.ts';
import type { Image } from './row-images.ts';

/** A process that connects to the server. */
export type Client = {
  /** Whether the process has ended. */
  readonly isOver: boolean;
  /** Resolves as `work` does, once the process runs; never after its end. */
  whileAlive<Result>(work: Promise<Result>): Promise<Result>;
  /** Called when a query of the process was answered. */
  onRead?(): void;
};

/** What becomes of a batch whose client is gone: it is committed, not committed, or waits for its rest and keeps its locks. */
type Fate = 'whole' | 'gone' | 'half';

type Pipeline = { client: Client; fate: Fate; lose(): void };

type ServerDeps = Part & {
  record(what: string): void;
  /** Called when batches are lost: with their connections, or at a limit of the server. */
  onLost(): void;
  file: string;
};

/** Limits of the gateways' sessions, in milliseconds. */
const transactionTimeoutMs = 10_000;
const reconnectMs = 100;
const maxReconnects = 25;
const settleMs = 4_000;
const maxDeadlocks = 5;

/** Creates the database server of several gateways. */
export function createServer({ scheduler, random, has, count, record, violate, onLost, file }: ServerDeps) {
  const connection = new Database(file);
  connection.pragma('journal_mode = WAL');
  connection.pragma('synchronous = OFF');
  // Changes are applied when their transaction commits, where the triggers would see other rows than the statement saw.
  const triggers = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").pluck().all();
  for (const name of triggers) connection.exec(`DROP TRIGGER "${name}"`);

  if (has('copied_ledger'))
    connection.exec("INSERT INTO ledger_file (id, cluster) VALUES ('led_copied', 'elsewhere')");

  const rows = createReadCommitted(connection, scheduler, (what) => violate('serial', what));
  const members = createMembers({ scheduler, isUp: () => isUp });
  /** What happens when a gateway takes what that client had claimed. */
  const whenTaken = new Map<Client, () => void>();
  const leases = createLeaseChecks(connection, {
    ...{ now: scheduler.now, violate },
    onTaken: (from) => whenTaken.get(from)?.(),
  });
  const pipelines = new Set<Pipeline>();
  const pace = random.fork('pace');
  let isUp = true;
  let healed = false;
  /** The clients that lose their connections in the middle of their next batch. */
  const doomed = new Set<Client>();

  /** Waits for the way to or from the server, or between two statements. */
  function hop(): Promise<void> {
    // Some batches stay open while many others begin and end.
    if (!healed && has('slow_server') && pace.happens(0.04))
      return scheduler.sleep(pace.happens(0.2) ? pace.int(2_000, 8_000) : pace.int(50, 1_500));
    return scheduler.sleep(!healed && has('distant_server') ? pace.int(1, 120) : pace.int(0, 2));
  }

  /** @throws StoreFault `busy` when the server is away for too long, `late` when `signal` aborted meanwhile. */
  async function connect(signal?: { readonly aborted: boolean }): Promise<void> {
    for (let attempts = 1; !isUp; attempts++) {
      if (attempts > maxReconnects) throw new StoreFault('busy', 'no connection to the database');
      await scheduler.sleep(reconnectMs);
      if (signal?.aborted) break;
    }
    if (signal?.aborted) throw new StoreFault('late', 'the caller stopped waiting for this write');
  }

  /** Runs the statements of a batch. @returns the rows that it changed; undefined after a conflict. @throws as the statements do. */
  async function runBatch(
    transaction: Transaction,
    pipeline: Pipeline,
    batch: readonly Write[],
  ): Promise<readonly Image[] | undefined> {
    const beganAt = scheduler.now();
    for (const name of new Set(batch.flatMap(({ locks = [] }) => locks).toSorted()))
      await rows.lock(transaction, name);
    for (const write of batch) {
      await hop();
      if (doomed.delete(pipeline.client)) disconnectAll(pipeline.client);
      if (pipeline.fate === 'gone') throw new Error('the connection is gone');
      if (pipeline.fate === 'half') {
        await scheduler.sleep(transactionTimeoutMs - (scheduler.now() - beganAt), transaction.over.signal);
        throw new Error('the transaction lasted too long');
      }
      const changed = await rows.run(transaction, write);
      if (write.rows !== undefined && changed !== write.rows) return undefined;
    }
    await hop();
    if (pipeline.fate === 'gone') throw new Error('the connection is gone');
    const images = rows.commit(transaction);
    for (const image of images) leases.check(pipeline.client, image);
    return images;
  }

  async function runPipeline(
    pipeline: Pipeline,
    batch: readonly Write[],
  ): Promise<readonly Image[] | undefined> {
    for (let attempts = 1; ; attempts++) {
      const transaction = rows.begin();
      try {
        return await runBatch(transaction, pipeline, batch);
      } catch (fault) {
        if (isUniqueViolation(fault)) return undefined;
        if (!(fault instanceof GivenUp)) throw toStoreFault(fault);
        count(`server ${fault.why}`);
        if (fault.why === 'deadlock' && attempts < maxDeadlocks) continue;
        onLost();
        throw new StoreFault('busy', fault.why);
      } finally {
        rows.rollback(transaction);
      }
    }
  }

  /** Sends a batch. The client of a lost connection does not learn the outcome. */
  function send(client: Client, batch: readonly Write[]): Promise<readonly Image[] | undefined> {
    return new Promise((resolve, reject) => {
      const lose = () => reject(new StoreFault('unknown', 'the connection to the database was lost'));
      const pipeline: Pipeline = { client, fate: 'whole', lose };
      pipelines.add(pipeline);
      runPipeline(pipeline, batch)
        .then(async (images) => {
          await hop();
          resolve(images);
        })
        .catch(reject)
        .finally(() => pipelines.delete(pipeline));
    });
  }

  /** Ends the connections of a client, or of all of them. */
  function disconnect(client: Client | undefined, fateOf: () => Fate): void {
    onLost();
    for (const pipeline of pipelines) {
      if (client && pipeline.client !== client) continue;
      pipeline.fate = fateOf();
      pipeline.lose();
    }
  }

  function disconnectAll(client: Client): void {
    disconnect(client, () => pace.pick(['whole', 'gone']));
    members.drop(client, 0);
  }

  function storeOf(client: Client) {
    const read = createQueryRunner(connection);
    const query: RunQuery = (sql, args, result) =>
      client.whileAlive(
        (async () => {
          await connect();
          await hop();
          if (!isUp) throw new StoreFault('busy', 'the connection to the database was lost');
          const found = await read(sql, args, result);
          client.onRead?.();
          return found;
        })(),
      );
    return {
      engine: 'postgres' as const,
      query,
      read: createQueryBuilder(query),
      apply: (batch: readonly Write[], signal?: { readonly aborted: boolean }) =>
        client.whileAlive(
          connect(signal)
            .then(() => send(client, batch))
            .then((images) => images !== undefined),
        ),
      applyReturning: (write: Write) =>
        client.whileAlive(
          connect()
            .then(() => send(client, [write]))
            .then((images = []) => rows.returned(write, images)),
        ),
      async settled() {
        const until = scheduler.now() + settleMs;
        let open = rows.writers();
        while (open.length > 0 && scheduler.now() < until) {
          await client.whileAlive(scheduler.sleep(5));
          open = open.filter(({ isOver }) => !isOver);
        }
        return open.length === 0;
      },
      ledgerDifferences: async () => [],
      usable: () => true,
      close: async () => {},
    };
  }

  return {
    connection,
    commits: rows.commits,
    /** Opens the database for a gateway, as `openPostgresGateway` does. */
    open:
      (client: Client): typeof openPostgresGateway =>
      async (options) => {
        await client.whileAlive(connect());
        const member = await members.join(client, options);
        return { store: { ...storeOf(client), close: member.leave }, member };
      },
    /** The machine of a client is gone at once: the server notices it later. */
    loseHost(client: Client): void {
      disconnect(client, () => pace.pick(['whole', 'half']));
      members.drop(client, pace.pick([5_000, 25_000]));
    },
    /** The connections of a client end: with its process, or by a fault of the network, now or in its next batch. */
    disconnect(client: Client, which: 'all' | 'member' | 'batch' = 'all'): void {
      if (which === 'batch') doomed.add(client);
      else if (which === 'member') members.drop(client, 0);
      else disconnectAll(client);
    },
    claimsOf: leases.claimsOf,
    /** Calls `work` whenever another client takes what this one had claimed; without `work` no longer. */
    whenTaken(client: Client, work?: () => void): void {
      if (work) whenTaken.set(client, work);
      else whenTaken.delete(client);
    },
    /** Checks a call to the service that leaves a client. */
    checkCall: leases.checkCall,
    /** The server loses all that is not committed, and is away for a while. */
    crash(ms: number): void {
      if (!isUp) return;
      isUp = false;
      record(`crashes for ${ms} ms`);
      rows.crash();
      disconnect(undefined, () => 'gone');
      members.dropAll();
      scheduler.after(ms, () => {
        isUp = true;
        record('is up');
      });
    },
    isUp: () => isUp,
    heal(): void {
      healed = true;
      doomed.clear();
    },
    close(): void {
      connection.close();
    },
  };
}

export type Server = ReturnType<typeof createServer>;
