import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EpochMs } from '../../shared/clock.ts';
import { errorMessage } from '../../shared/errors.ts';
import { type DatabaseInspection, inspectDatabase } from '../../sqlite/inspect-database.ts';
import { copyAndMigrate } from '../../sqlite/migrate.ts';
import { createSqliteReader } from '../../sqlite/sqlite.ts';
import type { Store } from '../../sqlite/store.ts';
import { findWrongTotals } from '../insights/wrong-totals-query.ts';
import { ledgerStore } from '../ledger/ledger-store.ts';
import type { LedgerReport } from '../ledger/report.ts';
import { type VerifyOptions, verifyLedger } from '../ledger/verify.ts';
import { ledgerAudits } from './ledger-audits.ts';
import { type Contents, contentsQuery } from './ledger-tables-query.ts';

export type CopyReport = {
  ok: boolean;
  file: string;
  bytes: number;
  /** When the copy was made; null when the file does not record it. */
  takenAt: EpochMs | null;
  schema: DatabaseInspection['schema'];
  /** Null when the tables cannot be read. */
  contents: Contents | null;
  /** The audit of the chain; null when it was not possible. */
  ledger: Pick<LedgerReport, 'unsealed' | 'notedHead' | 'signatures' | 'lateBlocks'> | null;
  /** Hash of the last block of the chain; null when it cannot be read. */
  head: string | null;
  /** Errors found by SQLite, in the schema, in the hash chain and in the bookings. Empty after a complete check without errors. */
  faults: string[];
};

/** Maximum number of reported errors. */
const maxFaults = 20;

const notAudited = 'audit: skipped, a newer version of dialtill wrote the file';

/**
 * Verifies a copy of the ledger that no process writes: pages, references, the schema, the hash chain, every sum, and every
 * collection against its facts. Changes nothing.
 *
 * @param expectation the noted head and keys from outside of the file, with which the chain is verified.
 * @throws UserError when the file does not exist or is not a ledger.
 */
export async function verifyCopy(file: string, expectation: VerifyOptions = {}): Promise<CopyReport> {
  const { faults, schema, takenAt } = inspectDatabase(file, 'gateway');
  const bytes = statSync(file).size;
  const report = { file, bytes, takenAt, schema };
  try {
    const { contents, ledger } = await readLedger(file, schema, expectation);
    const audited = ledger ? ledger.faults.map(({ row, fault }) => `${row}: ${fault}`) : [notAudited];
    const all = [...new Set([...faults, ...audited])].slice(0, maxFaults);
    return {
      ok: all.length === 0,
      ...report,
      contents,
      ledger: ledger ? findChain(ledger) : null,
      head: ledger?.head ?? null,
      faults: all,
    };
  } catch (fault) {
    const all = [...new Set([...faults, errorMessage(fault)])];
    return { ok: false, ...report, contents: null, ledger: null, head: null, faults: all };
  }
}

function findChain({ unsealed, notedHead, signatures, lateBlocks }: LedgerReport): CopyReport['ledger'] {
  return { unsealed, notedHead, signatures, lateBlocks };
}

async function readLedger(
  file: string,
  schema: DatabaseInspection['schema'],
  expectation: VerifyOptions,
): Promise<{ contents: Contents; ledger: LedgerReport | undefined }> {
  const store = createSqliteReader(file, { anyVersion: true });
  try {
    const contents = await contentsQuery(store);
    // This version does not read the columns of a newer schema.
    if (schema.isNewer) return { contents, ledger: undefined };
    const isOlder = schema.migrations < schema.known;
    return { contents, ledger: await (isOlder ? auditOlder(file, expectation) : audit(store, expectation)) };
  } finally {
    await store.close();
  }
}

const audit = (store: Store, expectation: VerifyOptions) =>
  verifyLedger(ledgerStore(store), ledgerAudits, {
    ...expectation,
    findWrongTotals: () => findWrongTotals(store),
  });

/** Audits a file with an older schema: migrates a temporary copy and audits that. */
async function auditOlder(file: string, expectation: VerifyOptions): Promise<LedgerReport> {
  const folder = mkdtempSync(join(tmpdir(), 'dialtill-audit-'));
  try {
    const copy = join(folder, 'copy.db');
    copyAndMigrate(file, copy, 'gateway', { acceptChanges: true });
    const store = createSqliteReader(copy);
    try {
      return await audit(store, expectation);
    } finally {
      await store.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
