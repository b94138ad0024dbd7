import type { Clock } from '../../shared/clock.ts';
import { UserError } from '../../shared/errors.ts';
import {
  type AppendRows,
  appendToFile,
  changeLedgerId,
  type LedgerTarget,
  openFileTarget,
} from '../../sqlite/ledger-target.ts';
import { lockDatabase, requireDatabaseFile } from '../../sqlite/lock.ts';
import { type SqlValue, type Store, StoreFault } from '../../sqlite/store.ts';
import { type DatabaseLocation, getName, openForReading } from '../database/database-location.ts';
import { findWrongTotals } from '../insights/wrong-totals-query.ts';
import { ledgerStore } from '../ledger/ledger-store.ts';
import { verifyLedger } from '../ledger/verify.ts';
import { ledgerAudits } from './ledger-audits.ts';
import {
  clusterOrigin,
  fileOrigin,
  type LedgerOrigin,
  readWatermark,
  removeWatermark,
  writeWatermark,
} from './ledger-origin.ts';
import {
  identityTable,
  ledgerTables,
  readLastNumber,
  readTable,
  type TableContent,
} from './ledger-tables-query.ts';
import { clusterStore, recoveryStore } from './recovery-store.ts';
import { createSplit } from './split-ledger.ts';

type LedgerCopy = {
  tables: readonly TableContent[];
  /** The number of rows of all tables. */
  rows: number;
  /** Hash of the last block of the chain. */
  head: string;
  /** True when a gateway on the copy begins, or continues, a recovery. */
  needsRecovery: boolean;
};

/** The note in a ledger that is a copy, instead of its cluster. */
const elsewhere = 'elsewhere';

/** Receives each table after its rows were written. */
type OnTable = (content: TableContent) => void;

/**
 * Copies every row of a ledger, then reads the copy: each table must have the same hash, and the ledger must pass its audit.
 * Nothing is committed.
 *
 * @throws UserError when the copy differs from the ledger, or does not pass the audit.
 */
async function copyLedger(
  source: Store,
  target: LedgerTarget,
  onTable: OnTable,
): Promise<Omit<LedgerCopy, 'needsRecovery'>> {
  const tables = await copyRows(source, target, onTable);
  const head = await target.read(async (store) => {
    const report = await verifyLedger(ledgerStore(store), ledgerAudits, {
      findWrongTotals: () => findWrongTotals(store),
    });
    const [first] = report.faults;
    if (first)
      throw new UserError(
        `the copy does not pass its verification, and was not kept: ${first.row}: ${first.fault}. Run dialtill ledger verify on the ledger that it was copied from.`,
      );
    return report.head;
  });
  return { tables, rows: tables.reduce((sum, { rows }) => sum + rows, 0), head };
}

/**
 * Copies every row of a ledger, then reads the copy: each table must have the same hash. Nothing is committed.
 *
 * @throws UserError when the copy differs from the ledger.
 */
export async function copyRows(
  source: Store,
  target: LedgerTarget,
  onTable: OnTable = () => {},
): Promise<TableContent[]> {
  const tables: TableContent[] = [];
  for (const table of ledgerTables) {
    const toOwn = (row: readonly SqlValue[]) =>
      table.name === identityTable ? [target.id ?? row[0] ?? null, target.cluster] : row;
    const content = await readTable(source, table, (rows) => target.insert(table, rows.map(toOwn)));
    if (table.numbered !== null) await target.continueNumbers(table, await readLastNumber(source, table));
    tables.push(content);
    onTable(content);
  }
  await target.read((store) => requireEqual(store, tables));
  return tables;
}

async function requireEqual(store: Store, tables: readonly TableContent[]): Promise<void> {
  const hashes = new Map(tables.map(({ table, hash }) => [table, hash]));
  for (const table of ledgerTables) {
    const { hash } = await readTable(store, table);
    if (hash !== hashes.get(table.name))
      throw new UserError(`the rows of ${table.name} changed on the way, and the copy was not kept`);
  }
}

export type MoveRequest = {
  from: DatabaseLocation;
  to: DatabaseLocation;
  /** The merchants that move; absent for the whole ledger. */
  merchants?: readonly string[] | undefined;
  clock: Clock;
  onTable: OnTable;
};

/** A database that no gateway opens meanwhile. */
type Source = {
  store: Store;
  /** False when a gateway on it would take it for a copy: it has moved before, or was declared one. */
  isOwn: boolean;
  append: AppendRows;
  /** Gives the ledger another id, by which an earlier copy of a file is recognized. A server recognizes copies by its cluster. */
  renew(id: string): Promise<void>;
  /** Makes a later start of a gateway on it begin with a recovery. Returns the function that undoes this. */
  leave(): Promise<() => Promise<void>>;
  close(): Promise<void>;
};

/**
 * Moves a ledger, or some of its merchants, to another database, on either engine: copies every row, compares both, audits the copy,
 * and only then makes it visible. No gateway may use either database. The rows of the source stay; a gateway that is started on it again
 * takes it for a copy of the ledger, and so prompts no payer a second time. A source that is a copy already, also because it has moved
 * before, moves as a copy: the target begins with a recovery. With `merchants`, both databases are in use from then on, each for its own
 * merchants (`createSplit`).
 *
 * @throws UserError when a gateway uses a database, the target is not empty, or the copy is not equal. The target is
 *   empty then, and the source as it was.
 * @throws MoveUnknown when the answer to the last write was lost. The ledger is then in the target or nowhere else than in the
 *   source, which begins with a recovery: no payer is prompted by both.
 */
export async function moveLedger({ from, to, merchants, clock, onTable }: MoveRequest): Promise<LedgerCopy> {
  const source = await named(from, () => openSource(from));
  try {
    const target = await named(to, () => openTarget(to, clock));
    try {
      const { store } = source;
      const isPending = !source.isOwn || (await recoveryStore(store).unfinished()).length > 0;
      const split = merchants && (await createSplit(source, { merchants, places: [from, to], clock }));
      const isOwn = source.isOwn && split?.isRepeated !== true;
      const cluster = isOwn ? target.cluster : elsewhere;
      const own = { ...target, cluster, ...(split ? { id: split.ledgerId } : {}) };
      const copy = { ...(await copyLedger(store, own, onTable)), needsRecovery: isPending || !isOwn };
      await split?.markCopy(own);
      const undo = await (split ?? source).leave().catch((fault: unknown) => {
        throw split && fault instanceof Error ? halfMoved(from, fault) : fault;
      });
      try {
        if (to.file !== undefined) removeWatermark(to.file);
        if (to.file !== undefined && isOwn) await recordFile(to.file, store, split?.ledgerId);
        await target.commit();
      } catch (fault) {
        if (fault instanceof StoreFault && fault.kind === 'unknown')
          throw unknownEnd(from, to, { cause: fault, isSplit: split !== undefined });
        if (to.file !== undefined) removeWatermark(to.file);
        await undo().catch(() => {
          throw split && fault instanceof Error ? halfMoved(from, fault) : fault;
        });
        throw fault;
      }
      return copy;
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/**
 * Makes the next start of a gateway on a database begin with a recovery, as on a restored copy. For copies that no gateway can
 * recognize, such as the snapshot of a server's disk.
 *
 * @throws UserError when a gateway uses the database, or there is no ledger in it.
 */
export async function declareCopy(database: DatabaseLocation): Promise<void> {
  await named(database, async () => {
    const source = await openSource(database);
    try {
      await source.leave();
    } finally {
      await source.close();
    }
  });
}

/** A move whose last write was not answered. */
export class MoveUnknown extends UserError {}

/** The ledger may have recorded a move that has no copy. */
function halfMoved(from: DatabaseLocation, cause: Error): MoveUnknown {
  return new MoveUnknown(
    `${getName(from)}: it is not known whether the move of the merchants is recorded. Start no gateway, and repeat the same move`,
    { cause },
  );
}

function unknownEnd(
  from: DatabaseLocation,
  to: DatabaseLocation,
  { cause, isSplit }: { cause: Error; isSplit: boolean },
): MoveUnknown {
  const otherwise = isSplit
    ? 'When there is none, move them again.'
    : `When there is none, move again, or keep ${getName(from)}: the next start begins with a recovery in both cases.`;
  return new MoveUnknown(
    `${getName(to)}: the connection was lost during the last write, so that it is not known whether the ledger has moved. ` +
      `Start no gateway yet. Run "dialtill ledger verify" on ${getName(to)}: when it finds the ledger, the move is complete. ` +
      otherwise,
    { cause },
  );
}

async function openSource(from: DatabaseLocation): Promise<Source> {
  const lock = from.file === undefined ? await lockServer(from.url) : lockFile(from.file);
  try {
    const store = await openForReading(from);
    const isOwn = await lock.originOf(store).matches(await recoveryStore(store).identity());
    return {
      store,
      isOwn,
      leave: lock.leave,
      append: lock.append,
      renew: lock.renew,
      async close() {
        await store.close();
        await lock.free();
      },
    };
  } catch (fault) {
    await lock.free();
    throw fault;
  }
}

type SourceLock = Pick<Source, 'leave' | 'append' | 'renew'> & {
  originOf(store: Store): LedgerOrigin;
  free(): Promise<void>;
};

function lockFile(file: string): SourceLock {
  requireDatabaseFile(file);
  const unlock = lockDatabase(file);
  return {
    originOf: () => fileOrigin(file),
    append: appendToFile(file),
    async renew(id) {
      const watermark = readWatermark(file);
      changeLedgerId(file, id);
      if (watermark) writeWatermark(file, { ...watermark, ledger: id });
    },
    async leave() {
      const watermark = readWatermark(file);
      removeWatermark(file);
      return async () => {
        if (watermark) writeWatermark(file, watermark);
      };
    },
    free: async () => unlock(),
  };
}

async function lockServer(url: string): Promise<SourceLock> {
  const { noteElsewhere } = await import('../../postgres/cluster.ts');
  const { appendToServer, lockServer, noteCluster } = await import('../../postgres/ledger-target.ts');
  const lock = await lockServer(url);
  return {
    originOf: (store) => clusterOrigin(clusterStore(store), { name: url, cluster: lock.cluster }),
    append: appendToServer(lock),
    renew: async () => {},
    async leave() {
      const before = await noteElsewhere(lock.client);
      return () => noteCluster(lock, before);
    },
    free: lock.close,
  };
}

async function openTarget(to: DatabaseLocation, clock: Clock): Promise<LedgerTarget> {
  if (to.file !== undefined) return openFileTarget(to.file, clock);
  const { openServerTarget } = await import('../../postgres/ledger-target.ts');
  return openServerTarget(to.url, ledgerTables);
}

/** Records that the ledger is written in this file from now on. A ledger without an id has had no gateway. */
async function recordFile(file: string, store: Store, newId?: string): Promise<void> {
  const { id, facts } = await recoveryStore(store).identity();
  if (id !== null) writeWatermark(file, { ledger: newId ?? id, facts });
}

async function named<Result>(location: DatabaseLocation, open: () => Promise<Result>): Promise<Result> {
  try {
    return await open();
  } catch (fault) {
    if (!(fault instanceof UserError) || fault.message.includes(getName(location))) throw fault;
    throw new UserError(`${getName(location)}: ${fault.message}`, { cause: fault });
  }
}
