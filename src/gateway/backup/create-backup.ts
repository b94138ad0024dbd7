import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import type { EpochMs } from '../../shared/clock.ts';
import { UserError } from '../../shared/errors.ts';
import { copyDatabase, syncFile } from '../../sqlite/copy.ts';
import { createFolder } from '../../sqlite/private-file.ts';
import { type CopyReport, verifyCopy } from './verify-copy.ts';

export type BackupRequest = {
  /** The database that a gateway may be writing. */
  database: string;
  /** A folder, in which the copy gets a name of its own, or the file that it is to be. */
  to: string;
  /** Copies of this database to keep in the folder, this one among them; all of them when left out. */
  keep?: number;
  now: EpochMs;
};

export type BackupReport = CopyReport & {
  /** Older copies that were removed. */
  removed: string[];
};

/**
 * Copies a ledger while its gateway goes on writing it, verifies the copy, and only then gives it its name. What has
 * that name is whole, on disk, and passed the audit. Nothing is ever overwritten.
 *
 * @throws UserError when the copy could not be made, or did not verify: nothing new is there then, and nothing was
 *   removed.
 */
export async function createBackup({ database, to, keep, now }: BackupRequest): Promise<BackupReport> {
  if (!existsSync(database)) throw new UserError(`there is no database ${database}`);
  const isFolder = to.endsWith('/') || (existsSync(to) && statSync(to).isDirectory());
  if (keep !== undefined && !isFolder)
    throw new UserError('--keep needs a folder behind --to: one that is there, or a name that ends with /');
  const folder = isFolder ? to : dirname(to);
  createFolder(folder);
  const file = isFolder ? join(folder, nameOf(database, now)) : to;
  if (existsSync(file)) throw new UserError(`${file} is there already, and nothing is overwritten`);

  if (isFolder) removeUnfinished(folder, database, now);
  const draft = `${file}.part`;
  copyDatabase(database, draft, now);
  let report: CopyReport;
  try {
    report = await verifyCopy(draft);
  } catch (fault) {
    rmSync(draft, { force: true });
    throw fault;
  }
  if (!report.ok) {
    rmSync(draft, { force: true });
    if (report.schema.isNewer)
      throw new UserError(
        `${database} was written by a newer version of dialtill, which this one cannot audit: no copy was kept. Copy it with that version.`,
      );
    const first = report.faults.slice(0, 5).join('; ');
    throw new UserError(
      `the copy of ${database} does not verify, so it was not kept: ${first}. The ledger itself is damaged: see docs/operations.md, "A damaged file".`,
    );
  }
  renameSync(draft, file);
  syncFile(file);
  const removed = keep === undefined ? [] : removeOldest(file, database, keep);
  return { ...report, file, removed };
}

const stamp = /^-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z\.db$/;

/** `<name of the database>-2026-03-06T09-00-00-000Z.db`: in the order of their names, copies are in that of their times. */
function nameOf(database: string, now: EpochMs): string {
  return `${stemOf(database)}-${new Date(now).toISOString().replaceAll(/[:.]/g, '-')}.db`;
}

function stemOf(database: string): string {
  return basename(database, extname(database));
}

const dayMs = 24 * 60 * 60 * 1000;

/** Removes what backups of this database have left that were killed: its name says that it began over a day ago. */
function removeUnfinished(folder: string, database: string, now: EpochMs): void {
  const before = nameOf(database, now - dayMs);
  const stem = stemOf(database);
  for (const name of readdirSync(folder)) {
    const [copy = '', part] = name.split(/\.part(?:-journal|-wal|-shm)?$/);
    const isOurs = copy.startsWith(stem) && stamp.test(copy.slice(stem.length));
    if (part === '' && isOurs && copy < before) rmSync(join(folder, name));
  }
}

/**
 * Removes the oldest copies of this database beyond so many, the one just made among those that stay: an older one has a
 * later name when the clock was ahead. What has another name is nobody's business here.
 */
function removeOldest(made: string, database: string, keep: number): string[] {
  const folder = dirname(made);
  const stem = stemOf(database);
  const others = readdirSync(folder).filter(
    (name) => name !== basename(made) && name.startsWith(stem) && stamp.test(name.slice(stem.length)),
  );
  const old = others
    .sort()
    .reverse()
    .slice(keep - 1);
  for (const name of old) rmSync(join(folder, name));
  return old.map((name) => join(folder, name));
}
