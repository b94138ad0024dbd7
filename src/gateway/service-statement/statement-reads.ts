import type { EpochMs } from '../../shared/clock.ts';
import type { Store } from '../../sqlite/store.ts';
import { readDay } from '../ledger/day.ts';
import type { Reader } from '../reading/reads.ts';
import { type Comparison, compareWith, readComparison } from './comparison-query.ts';
import { readStatement, type StatementFormat } from './read-statement.ts';
import { findStatement, type MerchantDay, type PackedStatement, packStatement } from './statement-store.ts';

/** The file of a statement, and who imports it. Plain data. */
export type StatementFile = {
  day: MerchantDay;
  content: string;
  format: StatementFormat;
  importedBy: string;
  importedAt: EpochMs;
};

/** What a file has: the statement, the digest of the one that it replaces, and the books beside it. */
export type ReadStatementFile =
  | { ok: false; message: string }
  | {
      ok: true;
      statement: PackedStatement;
      /** The number of lines that are no money. */
      ignored: number;
      /** The digest of the statement that is stored; undefined without one. */
      before: string | undefined;
      /** With the stored statement, when it has the same lines. */
      comparison: Comparison;
    };

async function readStatementFile(
  store: Store,
  { day, content, format, ...imported }: StatementFile,
): Promise<ReadStatementFile> {
  const span = readDay(day.date);
  if (!span) return { ok: false, message: 'expected a day such as 2026-03-06' };
  const read = readStatement(content, format, span);
  if (!read.ok) return read;
  const packed = packStatement({ ...day, ...imported }, read.lines);
  const before = await findStatement(store, day);
  const statement =
    before?.digest === packed.digest
      ? before
      : { ...day, ...imported, digest: packed.digest, lines: read.lines };
  return {
    ok: true,
    statement: packed,
    ignored: read.ignored,
    before: before?.digest,
    comparison: await compareWith(store, statement, span),
  };
}

/** The reads of statements. A file of `maxStatementLines` takes most of a second, for which payers would otherwise wait. */
export const statementReads = { statementFile: readStatementFile, statement: readComparison };

/** Reads statements for people. */
export type StatementReader = Reader<typeof statementReads>;
