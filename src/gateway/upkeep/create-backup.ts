import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { EpochMs } from '../../shared/clock.ts';
import { UserError } from '../../shared/errors.ts';
import { syncFile } from '../../sqlite/copy.ts';
import { createFolder, makePrivateIfOwned } from '../../sqlite/private-file.ts';
import type { VerifyOptions } from '../ledger/verify.ts';
import type { LastBackup } from './last-backup-store.ts';
import { type CopyReport, verifyCopy } from './verify-copy.ts';

/** A ledger that gateways may write to at the same time. */
export type BackupSource = {
  /** The name of the database in messages. */
  readonly name: string;
  /** The beginning of the name of each copy in a folder. */
  readonly stem: string;
  /**
   * Copies the ledger into a new file, as it is at one moment, and records in the file when that was.
   *
   * @returns this time, by the clock of the ledger's gateways.
   * @throws UserError when there is no ledger, or it cannot be copied. No file remains then.
   */
  copyTo(file: string): Promise<EpochMs>;
  /** Records a verified backup. Returns false when it cannot be recorded: the backup is complete all the same. */
  record(backup: LastBackup): Promise<boolean>;
};

export type BackupRequest = {
  source: BackupSource;
  /** A folder, in which the copy gets a name with its time, or the path of the copy. */
  to: string;
  /** Number of copies of this database to keep in the folder, including the new one. All by default. */
  keep?: number;
  now: EpochMs;
  /** The noted head and keys from outside of the file, with which the chain is verified. */
  expectation?: VerifyOptions | undefined;
};

export type BackupReport = CopyReport & {
  /** Older copies that were removed. */
  removed: string[];
  /** Older copies of this database in the folder that other users could access, and no longer can. */
  madePrivate: string[];
  /**
   * True when this backup is recorded beside the database, or in the ledger on a server: the metrics and
   * `dialtill health` then show its age.
   */
  isRecorded: boolean;
};

/**
 * Copies a ledger into a file while its gateways run, verifies the copy, and then gives it its final name. A file with that name is
 * complete, on disk and verified. No file is overwritten.
 *
 * @throws UserError when the copy failed or did not verify. No file was added or removed then.
 */
export async function createBackup({
  source,
  to,
  keep,
  now,
  expectation,
}: BackupRequest): Promise<BackupReport> {
  const { name, stem } = source;
  const isFolder = to.endsWith('/') || (existsSync(to) && statSync(to).isDirectory());
  if (keep !== undefined && !isFolder)
    throw new UserError('--keep requires a folder as --to: an existing folder, or a path that ends with /');
  const folder = isFolder ? to : dirname(to);
  createFolder(folder);
  const file = isFolder ? join(folder, copyName(stem, now)) : to;
  if (existsSync(file)) throw new UserError(`${file} already exists. A backup overwrites no file`);

  if (isFolder) removeUnfinished(folder, stem, now);
  const draft = `${file}.part`;
  const takenAt = await source.copyTo(draft);
  let report: CopyReport;
  try {
    report = await verifyCopy(draft, expectation);
  } catch (fault) {
    rmSync(draft, { force: true });
    throw fault;
  }
  if (!report.ok) {
    rmSync(draft, { force: true });
    if (report.schema.isNewer)
      throw new UserError(
        `${name} was written by a newer version of dialtill, so it cannot be verified and no copy was kept. Run the backup with that version.`,
      );
    const first = report.faults.slice(0, 5).join('; ');
    throw new UserError(
      `the copy of ${name} failed its verification and was not kept: ${first}. The ledger itself is damaged: see docs/operations/damaged-file.md.`,
    );
  }
  renameSync(draft, file);
  syncFile(file);
  const removed = keep === undefined ? [] : removeOldest(file, stem, keep);
  const madePrivate = isFolder ? makeCopiesPrivate(folder, stem) : [];
  const isRecorded = await source.record({ at: takenAt, file });
  return { ...report, file, removed, madePrivate, isRecorded };
}

const stamp = /^-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z\.db$/;

/** Makes the copies of this database in a folder private. Returns the ones that other users could access. */
function makeCopiesPrivate(folder: string, stem: string): string[] {
  const madePrivate: string[] = [];
  for (const name of copiesIn(folder, stem))
    makePrivateIfOwned(join(folder, name), (file) => void madePrivate.push(file));
  return madePrivate;
}

function copiesIn(folder: string, stem: string): string[] {
  return readdirSync(folder).filter((name) => name.startsWith(stem) && stamp.test(name.slice(stem.length)));
}

/** Returns `<database>-2026-03-06T09-00-00-000Z.db`. Names sort by time. */
function copyName(stem: string, now: EpochMs): string {
  return `${stem}-${new Date(now).toISOString().replaceAll(/[:.]/g, '-')}.db`;
}

const dayMs = 24 * 60 * 60 * 1000;

/** Removes the unfinished copies of killed backups of this database that are older than a day. */
function removeUnfinished(folder: string, stem: string, now: EpochMs): void {
  const before = copyName(stem, now - dayMs);
  for (const name of readdirSync(folder)) {
    const [copy = '', part] = name.split(/\.part(?:-journal|-wal|-shm|\.lock)?$/);
    const isCopy = copy.startsWith(stem) && stamp.test(copy.slice(stem.length));
    if (part === '' && isCopy && copy < before) rmSync(join(folder, name));
  }
}

/**
 * Removes the oldest copies of this database until `keep` are left. The new copy always stays: an older one has a later
 * name when the clock was ahead. Other files are not touched.
 */
function removeOldest(newest: string, stem: string, keep: number): string[] {
  const folder = dirname(newest);
  const others = copiesIn(folder, stem).filter((name) => name !== basename(newest));
  const old = others
    .sort()
    .reverse()
    .slice(keep - 1);
  for (const name of old) rmSync(join(folder, name));
  return old.map((name) => join(folder, name));
}
