import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { UserError } from '../shared/errors.ts';
import { syncFile } from './copy.ts';
import { lockDatabase } from './lock.ts';
import { copyAndMigrate } from './migrate.ts';
import { createPrivately } from './private-file.ts';

/** The new file while it is made. As long as it lies there, no gateway opens the database. */
const draftOf = (file: string) => `${file}.restoring`;

/** What belongs to a database file: without its write-ahead log it is an older one, and with another's it is spoilt. */
const parts = ['', '-wal', '-shm'];

export type PutInPlace = {
  /** Where the files are that were there; empty when there were none. */
  movedTo: string[];
};

/**
 * Puts a copy in the place of a database, brought to this program's schema and marked as restored. What was there is
 * moved aside and never deleted. Whenever the process ends in between, either the old file is there and whole, or no
 * gateway starts until a restore has come to its end.
 *
 * @throws UserError when a gateway holds the file, or the copy is of a newer program.
 */
export function putInPlace(
  copy: string,
  file: string,
  { takenAt, now }: { takenAt: number | null; now: number },
): PutInPlace {
  const unlock = lockDatabase(file);
  try {
    const draft = draftOf(file);
    const resumed = existsSync(draft);
    try {
      createDraft(copy, draft, takenAt, now);
    } catch (fault) {
      removeDraft(draft);
      // Nothing was moved yet, unless by an earlier restore that was cut off: then gateways stay out.
      if (resumed) createPrivately(draft);
      throw fault;
    }
    const aside = (resumed && begunAside(file)) || asideOf(file, now);
    const movedTo = parts.flatMap((part) => {
      if (!existsSync(file + part)) return [];
      renameSync(file + part, aside + part);
      return [aside + part];
    });
    renameSync(draft, file);
    syncFile(file);
    return { movedTo };
  } finally {
    unlock();
  }
}

/**
 * Refuses a database whose restore was cut off: what lies under its name may be a file without its write-ahead log, or
 * none.
 *
 * @throws UserError
 */
export function refuseHalfRestored(file: string): void {
  if (!existsSync(draftOf(file))) return;
  throw new UserError(
    `a restore of ${file} was cut off. Run dialtill restore again, with the same copy or another; it will be whole then.`,
  );
}

function createDraft(copy: string, draft: string, takenAt: number | null, now: number): void {
  removeDraft(draft);
  copyAndMigrate(copy, draft, 'gateway');
  const connection = new Database(draft);
  try {
    connection.exec('DELETE FROM ledger_file');
    const { changes } = connection
      .prepare(
        'UPDATE restore SET taken_at = coalesce(taken_at, ?), restored_at = ? WHERE restored_at IS NULL',
      )
      .run(takenAt, now);
    if (changes === 0)
      connection.prepare('INSERT INTO restore (taken_at, restored_at) VALUES (?, ?)').run(takenAt, now);
  } finally {
    connection.close();
  }
  syncFile(draft);
}

function removeDraft(draft: string): void {
  for (const part of [...parts, '-journal']) rmSync(draft + part, { force: true });
}

/**
 * Where a restore that was cut off has moved the file whose log is here still: the last one that was moved. Under another
 * name that log would be lost to it.
 */
function begunAside(file: string): string | undefined {
  if (existsSync(file) || !existsSync(`${file}-wal`)) return undefined;
  const folder = dirname(file);
  const [last] = readdirSync(folder)
    .filter((name) => name.startsWith(`${basename(file)}.replaced-`) && !/-(wal|shm)$/.test(name))
    .map((name) => join(folder, name))
    .map((name) => ({ name, movedAt: statSync(name).ctimeMs }))
    .sort((one, other) => other.movedAt - one.movedAt);
  const isFree = last && parts.slice(1).every((part) => !existsSync(last.name + part));
  return isFree ? last.name : undefined;
}

function asideOf(file: string, now: number): string {
  const stamp = new Date(now).toISOString().replaceAll(':', '-');
  for (let count = 1; ; count++) {
    const name = `${file}.replaced-${stamp}${count === 1 ? '' : `-${count}`}`;
    if (parts.every((part) => !existsSync(name + part))) return name;
  }
}
