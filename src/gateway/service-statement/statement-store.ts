import { createHash } from 'node:crypto';
import { and, eq, inArray, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import { build, insertRow, parameter, prepareQuery, prepareWrite } from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { serviceStatement } from '../database/schema.ts';
import type { StatementLine } from './compare.ts';

/** A day of a merchant in one mode. `date` is such as `2026-03-06`. */
export type MerchantDay = { merchantId: string; livemode: 0 | 1; date: string };

/** The statement of a day as it was imported last. */
export type ImportedStatement = MerchantDay & {
  digest: string;
  lines: StatementLine[];
  importedBy: string;
  importedAt: EpochMs;
};

/** A statement as its row: `lines` is their text. */
export type PackedStatement = typeof serviceStatement.$inferSelect;

const { placeholder } = sql;

const isDay = and(
  eq(serviceStatement.merchantId, placeholder('merchantId')),
  eq(serviceStatement.livemode, placeholder('livemode')),
  eq(serviceStatement.date, placeholder('date')),
);

const find = prepareQuery(build.select().from(serviceStatement).where(isDay));

/** Loses when the day has a statement meanwhile. */
const insert = insertRow(serviceStatement);

/** Loses when another person has replaced the statement meanwhile. */
const replace = prepareWrite<PackedStatement & { digestRead: string }>(
  build
    .update(serviceStatement)
    .set({
      digest: parameter('digest'),
      lines: parameter('lines'),
      importedBy: parameter('importedBy'),
      importedAt: parameter('importedAt'),
    })
    .where(and(isDay, eq(serviceStatement.digest, placeholder('digestRead')))),
  1,
);

/** Returns those of these merchants that have a statement of a day. */
export async function listWithStatement(
  { read }: Pick<Store, 'read'>,
  { livemode, date }: Omit<MerchantDay, 'merchantId'>,
  merchantIds: readonly string[],
): Promise<string[]> {
  const rows = await read
    .select({ id: serviceStatement.merchantId })
    .from(serviceStatement)
    .where(
      and(
        inArray(serviceStatement.merchantId, [...merchantIds]),
        eq(serviceStatement.livemode, livemode),
        eq(serviceStatement.date, date),
      ),
    );
  return rows.map(({ id }) => id);
}

/** Returns the statement of a day; undefined without one. Its digest is that of the stored lines. */
export async function findStatement(
  store: Pick<Store, 'query'>,
  day: MerchantDay,
): Promise<ImportedStatement | undefined> {
  const row = await find.get(store, day);
  if (!row) return undefined;
  const lines = (JSON.parse(row.lines) as PackedLine[]).map(
    ([sessionId, at, totalMinor, feeMinor, priceMinor]) => ({
      sessionId,
      at,
      totalMinor,
      feeMinor,
      priceMinor,
    }),
  );
  return { ...row, digest: hash(row.lines), lines };
}

type PackedLine = [string, EpochMs, number, number | null, number | null];

function pack(lines: readonly StatementLine[]): string {
  return JSON.stringify(
    lines.map(
      ({ sessionId, at, totalMinor, feeMinor, priceMinor }): PackedLine => [
        ...([sessionId, at, totalMinor, feeMinor, priceMinor] as PackedLine),
      ],
    ),
  );
}

const hash = (text: string) => createHash('sha256').update(text).digest('hex');

/** Returns a statement as its row. Files with equal lines have equal digests. */
export function packStatement(
  statement: Omit<PackedStatement, 'digest' | 'lines'>,
  lines: readonly StatementLine[],
): PackedStatement {
  const text = pack(lines);
  return { ...statement, digest: hash(text), lines: text };
}

/** Returns the write that stores a statement in the place of the one that was read. @param before the digest of that one. */
export function statementWrite(statement: PackedStatement, before: string | undefined): Write {
  return before === undefined ? insert(statement) : replace({ ...statement, digestRead: before });
}
