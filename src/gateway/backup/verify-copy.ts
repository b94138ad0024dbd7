import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EpochMs } from '../../shared/clock.ts';
import { messageOf } from '../../shared/errors.ts';
import { type Examined, examine } from '../../sqlite/examine.ts';
import { copyAndMigrate } from '../../sqlite/migrate.ts';
import { createSqliteReader } from '../../sqlite/sqlite.ts';
import type { Store } from '../../sqlite/store.ts';
import { auditCollection } from '../collection/audit.ts';
import { ledgerStore } from '../ledger/ledger-store.ts';
import { type LedgerReport, verifyLedger } from '../ledger/verify.ts';
import { contentsQuery } from './contents-query.ts';

/** What a copy of the ledger holds. */
export type Contents = {
  collections: number;
  /** Still to be paid, or to be given up. */
  open: number;
  /** Waiting for a person. */
  reviews: number;
  facts: number;
  postings: number;
  turns: number;
  events: number;
  /** When the newest collection was agreed to; null when there is none. */
  newestCollectionAt: EpochMs | null;
  /** The last time that anything was written down. */
  newestAt: EpochMs | null;
  /** Of which modes its collections are. */
  modes: ('live' | 'test')[];
};

export type CopyReport = {
  ok: boolean;
  file: string;
  bytes: number;
  /** As the copy says itself; null where it does not. */
  takenAt: EpochMs | null;
  schema: Examined['schema'];
  /** Null where the file cannot be read that far. */
  contents: Contents | null;
  /** Hash of the last block of the chain; null where it cannot be read. */
  head: string | null;
  /** What is wrong, by SQLite, by the hash chain, or by the books; empty when all of it was looked at and nothing is. */
  faults: string[];
};

/** Faults of the ledger that are told at most. */
const maxFaults = 20;

const notAudited = 'audit: not done, the file was written by a newer version of dialtill';

/**
 * Opens a file that nobody writes and looks at all of it: pages, references, the hash chain, every sum, and every
 * collection against its facts. Changes nothing.
 *
 * @throws UserError when it is not there, or is no ledger at all.
 */
export async function verifyCopy(file: string): Promise<CopyReport> {
  const { faults, schema, takenAt } = examine(file, 'gateway');
  const bytes = statSync(file).size;
  const report = { file, bytes, takenAt, schema };
  try {
    const { contents, ledger } = await readLedger(file, schema);
    const audited = ledger ? ledger.faults.map(({ row, fault }) => `${row}: ${fault}`) : [notAudited];
    const all = [...faults, ...audited].slice(0, maxFaults);
    return { ok: all.length === 0, ...report, contents, head: ledger?.head ?? null, faults: all };
  } catch (fault) {
    const all = [...new Set([...faults, messageOf(fault)])];
    return { ok: false, ...report, contents: null, head: null, faults: all };
  }
}

async function readLedger(
  file: string,
  schema: Examined['schema'],
): Promise<{ contents: Contents; ledger: LedgerReport | undefined }> {
  const store = createSqliteReader(file, { anyVersion: true });
  try {
    const contents = await contentsQuery(store);
    // A file of a newer program has columns that this one does not read.
    if (schema.isNewer) return { contents, ledger: undefined };
    const isOlder = schema.migrations < schema.known;
    return { contents, ledger: await (isOlder ? auditOlder(file) : audit(store)) };
  } finally {
    await store.close();
  }
}

const audit = (store: Store) => verifyLedger(ledgerStore(store), auditCollection);

/** The books of a file that lacks what this program reads: those of a copy for this alone, brought up to date. */
async function auditOlder(file: string): Promise<LedgerReport> {
  const folder = mkdtempSync(join(tmpdir(), 'dialtill-audit-'));
  try {
    const copy = join(folder, 'copy.db');
    copyAndMigrate(file, copy, 'gateway');
    const store = createSqliteReader(copy);
    try {
      return await audit(store);
    } finally {
      await store.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
