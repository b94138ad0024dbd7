import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../shared/clock.ts';
import { UserError } from '../shared/errors.ts';
import { syncFile } from './copy.ts';
import { connect, type Database, makeDurable } from './driver.ts';
import { lockDatabase } from './lock.ts';
import { giveToGateway } from './private-file.ts';
import { createSqliteReader, createSqliteStore } from './sqlite.ts';
import { type SqlValue, type Store, StoreFault } from './store.ts';

/** A table as it is moved: all columns in one order, and the columns of its key. */
export type TableShape = {
  name: string;
  columns: readonly { name: string; isNumber: boolean }[];
  key: readonly string[];
  /** The column that the database numbers; null without one. */
  numbered: string | null;
};

/** Files beside a database. They are empty when no process has it open. */
const sideFiles = ['-wal', '-shm', '.lock'];

/** An empty database that receives the rows of a ledger. Nothing of it is visible before `commit`. */
export type LedgerTarget = {
  /** Identifies the server and database; null for a file. */
  readonly cluster: string | null;
  /** The id of the ledger here, when it is to be another one than that of the ledger that is copied. */
  readonly id?: string;
  insert(table: TableShape, rows: readonly (readonly SqlValue[])[]): Promise<void>;
  /** Makes the database continue the numbers of a table after `last`. */
  continueNumbers(table: TableShape, last: number): Promise<void>;
  /** Runs `work` on what was inserted. */
  read<Result>(work: (store: Store) => Promise<Result>): Promise<Result>;
  /** @throws StoreFault `unknown` when it is not known whether the rows became visible. After any other error they are not. */
  commit(): Promise<void>;
  /** Removes what was inserted, unless it was committed, and frees the database. */
  close(): Promise<void>;
};

/** Adds rows to a table of a database that no other process has open, all or none. */
export type AppendRows = (table: TableShape, rows: readonly (readonly SqlValue[])[]) => Promise<void>;

/** Gives a ledger another id, in a file that the caller has locked. @throws when it cannot be written. */
export function changeLedgerId(file: string, id: string): void {
  writeTo(file, (connection) => connection.prepare('UPDATE ledger_file SET id = ?').run(id));
}

/** Returns the function that adds rows to a file, which the caller has locked. */
export function appendToFile(file: string): AppendRows {
  return async (table, rows) =>
    writeTo(file, (connection) => {
      const insert = connection.prepare(insertSql(table));
      for (const row of rows) insert.run(...row);
    });
}

/** Writes to a file in one transaction, which is durable afterwards. */
function writeTo(file: string, work: (connection: Database) => unknown): void {
  const connection = connect(file);
  try {
    makeDurable(connection, file);
    connection.transaction(() => work(connection))();
  } finally {
    connection.close();
  }
}

function insertSql({ name, columns }: TableShape): string {
  const names = columns.map((column) => `"${column.name}"`).join(', ');
  return `INSERT INTO "${name}" (${names}) VALUES (${columns.map(() => '?').join(', ')})`;
}

/**
 * Creates a file for the rows of a ledger. It gets its name only with `commit`; a file of an attempt that was killed is
 * replaced.
 *
 * @throws UserError when the file exists, its folder does not, or another process creates it.
 */
export function openFileTarget(file: string, clock: Clock): LedgerTarget {
  // A watermark without its file is what a move that was killed has left.
  for (const part of ['', '-wal'])
    if (existsSync(file + part))
      throw new UserError(`${file}${part} exists already. Choose another file: none is overwritten`);
  if (!existsSync(dirname(file)))
    throw new UserError(`there is no folder ${dirname(file)}. Create it, and try again`);
  const unlock = lockDatabase(file);
  const draft = `${file}.moving`;
  const target = openDraft(draft, clock);
  return {
    ...target,
    async commit() {
      await target.commit();
      giveToGateway(draft);
      renameSync(draft, file);
      try {
        syncFile(file);
      } catch (cause) {
        throw new StoreFault('unknown', 'the new file has its name, which a power failure may undo', {
          cause,
        });
      }
    },
    async close() {
      await target.close();
      unlock();
    },
  };
}

/** Creates a file for the rows of a ledger, which keeps its name. A file of an attempt that was killed is replaced. */
export function openDraft(draft: string, clock: Clock): LedgerTarget {
  let isCommitted = false;
  const remove = (parts: readonly string[]) => {
    for (const part of parts) rmSync(draft + part, { force: true });
  };
  remove(['', ...sideFiles]);
  const store = createSqliteStore({ file: draft, schema: 'gateway', clock });
  return {
    cluster: null,
    async insert(table, rows) {
      const sql = insertSql(table);
      const isWritten = await store.apply(rows.map((args) => ({ sql, args })));
      if (!isWritten) throw new Error(`a row of ${table.name} is in the new database already`);
    },
    async continueNumbers({ name }, last) {
      const args = [last, name];
      await store.apply([
        { sql: 'UPDATE sqlite_sequence SET seq = ? WHERE name = ?', args },
        {
          sql: 'INSERT INTO sqlite_sequence (seq, name) SELECT ?, ? WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?)',
          args: [...args, name],
        },
      ]);
    },
    async read(work) {
      const reader = createSqliteReader(draft);
      try {
        return await work(reader);
      } finally {
        await reader.close();
      }
    },
    async commit() {
      await store.close();
      syncFile(draft);
      isCommitted = true;
    },
    async close() {
      await store.close();
      remove(isCommitted ? sideFiles : ['', ...sideFiles]);
    },
  };
}
