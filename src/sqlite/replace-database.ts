import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { UserError } from '../shared/errors.ts';
import { syncFile } from './copy.ts';
import { Database } from './driver.ts';
import { lockDatabase } from './lock.ts';
import { copyAndMigrate } from './migrate.ts';
import { createPrivately, giveToGateway } from './private-file.ts';

/** The new file during a restore. No gateway opens the database while it exists. */
const getDraft = (file: string) => `${file}.restoring`;

/** The files of a database. Without its write-ahead log it loses writes; with the log of another it is corrupt. */
const parts = ['', '-wal', '-shm'];

export type ReplacedDatabase = {
  /** New paths of the files that were replaced; empty without any. */
  movedTo: string[];
};

/**
 * Replaces a database by a copy, upgraded to this program's schema and marked as restored. Moves the replaced files aside
 * and never deletes them. If the process ends midway, either the old file is complete or no gateway starts until another
 * restore succeeds.
 *
 * @param times when the copy was made, and the current time.
 * @param verifyDraft verifies the new file before it takes the place of the old one, and throws to keep the old one.
 * @throws UserError when a gateway uses the file, or a newer version wrote the copy.
 */
export async function replaceDatabase(
  copy: string,
  file: string,
  times: { takenAt: number | null; now: number },
  verifyDraft: (draft: string) => Promise<void>,
): Promise<ReplacedDatabase> {
  const unlock = lockDatabase(file);
  try {
    const draft = getDraft(file);
    const isResumed = existsSync(draft);
    try {
      createDraft(copy, draft, times);
      await verifyDraft(draft);
      // The verification reads the draft and can leave an empty log.
      for (const part of parts.slice(1)) rmSync(draft + part, { force: true });
    } catch (fault) {
      removeDraft(draft);
      // An unfinished earlier restore may have moved files: keep the mark that stops gateways.
      if (isResumed) createPrivately(draft);
      throw fault;
    }
    const aside = (isResumed && unfinishedAside(file)) || newAside(file, times.now);
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
 * Rejects a database whose restore did not finish: its file may be missing, or separated from its write-ahead log.
 *
 * @throws UserError
 */
export function rejectUnfinishedRestore(file: string): void {
  if (!existsSync(getDraft(file))) return;
  throw new UserError(
    `a restore of ${file} did not finish. Run dialtill restore again, with the same copy or another one.`,
  );
}

function createDraft(
  copy: string,
  draft: string,
  { takenAt, now }: { takenAt: number | null; now: number },
): void {
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
  giveToGateway(draft);
  syncFile(draft);
}

function removeDraft(draft: string): void {
  for (const part of [...parts, '-journal']) rmSync(draft + part, { force: true });
}

/**
 * Returns where an unfinished restore moved the database file whose log is still in place. The log must follow under the
 * same name, or its writes are lost.
 */
function unfinishedAside(file: string): string | undefined {
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

function newAside(file: string, now: number): string {
  const stamp = new Date(now).toISOString().replaceAll(':', '-');
  for (let count = 1; ; count++) {
    const name = `${file}.replaced-${stamp}${count === 1 ? '' : `-${count}`}`;
    if (parts.every((part) => !existsSync(name + part))) return name;
  }
}
