import { maskNumbers } from '../../../shared/mask-numbers.ts';
import { type Msisdn, maskedForm } from '../../../shared/msisdn.ts';
import { answersOf } from '../../collection/answers.ts';
import type { CollectionRow } from '../../collection/collection.ts';
import {
  answerCells,
  answerColumns,
  cedisCell,
  csvLine,
  plainCell,
  textCell,
} from '../../support/export/csv.ts';
import { reasonsOf, statusView, totalOf } from '../pages/format.ts';

/** Whether an export has phone numbers in their masked form, or whole as 233XXXXXXXXX. */
export const exportNumbers = ['masked', 'whole'] as const;
export type ExportNumbers = (typeof exportNumbers)[number];

type Column = readonly [name: string, cell: (row: CollectionRow, numbers: ExportNumbers) => string];

/** The columns of the list, with the id that its links have, the price that its footer sums, and the answers. */
const columns: readonly Column[] = [
  ['payment', (row) => plainCell(row.id)],
  ['opened_at', (row) => plainCell(new Date(row.openedAt).toISOString())],
  ['status', (row) => textCell(statusView(row).words)],
  ['price_cedis', (row) => cedisCell(row.goodsMinor)],
  ['total_cedis', (row) => cedisCell(totalOf(row))],
  ['payer', (row, numbers) => phoneCell(row.payer, numbers)],
  [
    'dialler',
    ({ payer, dialler }, numbers) => (dialler === payer ? plainCell('') : phoneCell(dialler, numbers)),
  ],
  [
    'reference',
    ({ reference }, numbers) => textCell(numbers === 'whole' ? reference : maskNumbers(reference)),
  ],
  ['reason', (row) => textCell(reasonsOf(row))],
  ...answerColumns.map(
    (name, at): Column => [name, (row, numbers) => answerCells(answersOf(row, numbers))[at] ?? ''],
  ),
];

/** A masked number has a form of the gateway, which no spreadsheet converts. */
function phoneCell(msisdn: Msisdn, numbers: ExportNumbers): string {
  return plainCell(numbers === 'whole' ? msisdn : maskedForm(msisdn));
}

/** Returns the first line of an export: the names of the columns. */
export function exportHead(): string {
  return csvLine(columns.map(([name]) => plainCell(name)));
}

/** Formats payments as lines of CSV: amounts in cedis, times in UTC. Texts cannot become formulas of a spreadsheet. */
export function exportLines(rows: readonly CollectionRow[], numbers: ExportNumbers): string {
  return rows.map((row) => csvLine(columns.map(([, cell]) => cell(row, numbers)))).join('');
}
