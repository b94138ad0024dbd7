import { Column, getTableColumns, is, Table } from 'drizzle-orm';
import { compileFunction, quoted } from './compiled-function.ts';

/** The values of a row, in the order of the selected fields. */
export type RawRow = readonly unknown[];

/**
 * Creates a function that turns the rows of a Drizzle select into objects, by position. Drizzle's own mapping finds out for
 * each value of each row what its field is, which costs more than reading the row.
 *
 * @param selected the fields of the select: columns, and objects or tables of columns.
 * @returns `undefined` for a select with any other field, or with a column that converts its values.
 */
export function createRowMapper(selected: object): ((row: RawRow) => object) | undefined {
  const fields = Object.entries(selected);
  if (fields.every(([, field]) => isPlain(field))) return mapFlat(Object.keys(selected), 0);
  const groups = fields.map(([name, field]) => ({ name, columns: toColumns(field) }));
  let start = 0;
  const groupTexts: string[] = [];
  for (const { name, columns } of groups) {
    const all = Object.entries(columns ?? {});
    const [first] = all.map(([, column]) => column);
    // As in Drizzle, a missing row of a join is recognised by the first column, which therefore must not be null.
    if (!(is(first, Column) && first.notNull && all.every(([, column]) => isPlain(column)))) return undefined;
    const names = all.map(([column]) => column);
    groupTexts.push(`${quoted(name)}: row[${start}] === null ? null : ${objectText(names, start)}`);
    start += all.length;
  }
  return compileFunction('row', `({ ${groupTexts.join(', ')} })`);
}

function isPlain(field: unknown): boolean {
  return is(field, Column) && field.mapFromDriverValue === Column.prototype.mapFromDriverValue;
}

function toColumns(field: unknown): object | undefined {
  if (is(field, Table)) return getTableColumns(field);
  return typeof field === 'object' && field !== null && field.constructor === Object ? field : undefined;
}

/** Maps the values from `start` on to an object with these names. */
function mapFlat(names: readonly string[], start: number): (row: RawRow) => object {
  return compileFunction('row', objectText(names, start));
}

/** Returns the text of an object with these names, whose values begin at `start` of a row. */
function objectText(names: readonly string[], start: number): string {
  return `({ ${names.map((name, index) => `${quoted(name)}: row[${start + index}]`).join(', ')} })`;
}
