import type { EpochMs } from '../../shared/clock.ts';
import { parseCedis } from '../../shared/money.ts';
import { maskNumbers } from '../../shared/msisdn.ts';
import { type CsvRecord, csvDelimiters, parseCsv } from '../../shared/parse-csv.ts';
import type { TimeSpan } from '../ledger/day.ts';
import { addAmounts, graceMs, type StatementLine } from './compare.ts';

/** The columns of a service's statement by their heads, and the meaning of its statuses. Null: the file has no such column. */
export type StatementFormat = {
  columns: {
    session: string;
    time: string;
    total: string;
    price: string | null;
    fee: string | null;
    status: string | null;
  };
  /** In lower case. Lines with an ignored status are no money, those with a reversed one take it back. */
  statuses: { paid: readonly string[]; reversed: readonly string[]; ignored: readonly string[] };
};

/** Bounds of one file: a day of one merchant. */
export const maxStatementBytes = 2 * 1024 * 1024;
export const maxStatementLines = 20_000;

/** Characters of a cell. */
const maxCell = 500;

type Fault = { ok: false; message: string };

/** The lines of a statement, by payment session, and the number of lines that are no money. */
export type StatementContent = { lines: StatementLine[]; ignored: number };

/**
 * Reads the statement of a day. A file with a fault is refused as a whole.
 *
 * @returns the payment sessions in the order of their ids; or the first fault, with its line, its column and what was expected.
 */
export function readStatement(
  text: string,
  format: StatementFormat,
  span: TimeSpan,
): ({ ok: true } & StatementContent) | Fault {
  const { columns } = format;
  const names = Object.values(columns).filter((name) => name !== null);
  const [head = ''] = text.split(/\r\n|\n|\r/, 1);
  const hasAll = (cells: readonly string[]) => names.every((name) => findColumn(cells, name) !== undefined);
  const bounds = { maxRecords: maxStatementLines + 1, maxCell };
  const delimiter = csvDelimiters.find((one) => {
    const first = parseCsv(head, { ...bounds, delimiter: one });
    return first.ok && hasAll(first.records[0]?.cells ?? []);
  });
  if (delimiter === undefined) {
    return {
      ok: false,
      message: `line 1: expected the columns ${names.join(', ')}, separated by commas or semicolons`,
    };
  }
  const parsed = parseCsv(text, { ...bounds, delimiter });
  if (!parsed.ok) return { ok: false, message: `line ${parsed.line}: ${parsed.message}` };
  const [first, ...records] = parsed.records;
  return addUp(records, createRowReader(first?.cells ?? [], format, span));
}

/** Adds up the lines of each payment session. */
function addUp(
  records: readonly CsvRecord[],
  readRow: (record: CsvRecord) => StatementLine | 'ignored' | Fault,
): ({ ok: true } & StatementContent) | Fault {
  const bySession = new Map<string, StatementLine>();
  let ignored = 0;
  for (const record of records) {
    const line = readRow(record);
    if (line === 'ignored') {
      ignored += 1;
      continue;
    }
    if ('ok' in line) return line;
    const before = bySession.get(line.sessionId);
    const sum = before && { ...before, at: Math.min(before.at, line.at), ...addAmounts(before, line) };
    bySession.set(line.sessionId, sum ?? line);
  }
  const lines = [...bySession.values()].sort((one, other) => (one.sessionId < other.sessionId ? -1 : 1));
  return { ok: true, lines, ignored };
}

function findColumn(head: readonly string[], name: string): number | undefined {
  const at = head.findIndex((cell) => cell.trim().toLowerCase() === name.toLowerCase());
  return at < 0 ? undefined : at;
}

/** Creates the reader of the lines below a head that has all columns. */
function createRowReader(
  head: readonly string[],
  { columns, statuses }: StatementFormat,
  span: TimeSpan,
): (record: CsvRecord) => StatementLine | 'ignored' | Fault {
  const places = new Map(Object.values(columns).map((name) => [name, findColumn(head, name ?? '') ?? -1]));
  return ({ line, cells }) => {
    const refuse = (column: string, expected: string, found: string): Fault => ({
      ok: false,
      message: `line ${line}, column ${column}: expected ${expected}, found "${maskNumbers(found).slice(0, 60)}"`,
    });
    if (cells.length !== head.length)
      return { ok: false, message: `line ${line}: expected ${head.length} cells, found ${cells.length}` };
    const cellOf = (name: string) => (cells[places.get(name) ?? -1] ?? '').trim();
    const status = columns.status === null ? undefined : cellOf(columns.status).toLowerCase();
    const meaning = getMeaning(status, statuses);
    if (meaning === 'ignored') return 'ignored';
    if (meaning === undefined) {
      const known = [...statuses.paid, ...statuses.reversed, ...statuses.ignored];
      return refuse(columns.status ?? '', `one of ${known.join(', ')}`, status ?? '');
    }
    const sessionId = cellOf(columns.session);
    if (!/^[\x21-\x7e]{1,128}$/.test(sessionId))
      return refuse(columns.session, 'the id of a payment session', sessionId);
    const time = cellOf(columns.time);
    const at = readTime(time);
    if (at === undefined) return refuse(columns.time, 'a time such as 2026-03-06T09:00:07Z', time);
    if (at < span.from - graceMs || at >= span.to + graceMs)
      return refuse(columns.time, `a time on ${new Date(span.from).toISOString().slice(0, 10)}`, time);
    const amounts = { total: 0, fee: 0, price: 0 };
    for (const name of ['total', 'fee', 'price'] as const) {
      const column = columns[name];
      if (column === null) continue;
      const amount = parseCedis(cellOf(column));
      if (amount === undefined) return refuse(column, 'an amount such as 20.20', cellOf(column));
      amounts[name] = meaning === 'reversed' ? -amount : amount;
    }
    return {
      ...{ sessionId, at, totalMinor: amounts.total },
      feeMinor: columns.fee === null ? null : amounts.fee,
      priceMinor: columns.price === null ? null : amounts.price,
    };
  };
}

/** Returns what lines with a status mean; undefined for an unknown one. Without a column of statuses, each line is money. */
function getMeaning(
  status: string | undefined,
  statuses: StatementFormat['statuses'],
): keyof StatementFormat['statuses'] | undefined {
  if (status === undefined) return 'paid';
  return (['paid', 'reversed', 'ignored'] as const).find((name) => statuses[name].includes(status));
}

/** Reads a time of the file: ISO 8601, without a zone in UTC, or `06/03/2026 09:00`, the day first. */
function readTime(text: string): EpochMs | undefined {
  const match =
    /^(?:(\d{4})-(\d\d)-(\d\d)|(\d\d)\/(\d\d)\/(\d{4}))[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)\s*(Z|[+-]\d\d:\d\d)?$/.exec(
      text,
    );
  if (!match) return undefined;
  const [, year, month, day, dayFirst, monthSecond, yearLast, time, zone = 'Z'] = match;
  const date = year === undefined ? `${yearLast}-${monthSecond}-${dayFirst}` : `${year}-${month}-${day}`;
  // `Date.parse` may read 30 February as a day of March.
  if (new Date(`${date}T00:00:00Z`).getUTCDate() !== Number(date.slice(-2))) return undefined;
  const at = Date.parse(`${date}T${time}${zone}`);
  return Number.isFinite(at) ? at : undefined;
}
