import { Column, getTableColumns, is, Table } from 'drizzle-orm';

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
  const groups = fields.map(([name, field]) => ({ name, columns: columnsOf(field) }));
  let start = 0;
  const mappers: { name: string; at: number; map: (row: RawRow) => object }[] = [];
  for (const { name, columns } of groups) {
    const all = Object.entries(columns ?? {});
    const [first] = all.map(([, column]) => column);
    // As in Drizzle, a missing row of a join is recognised by the first column, which therefore must not be null.
    if (!(is(first, Column) && first.notNull && all.every(([, column]) => isPlain(column)))) return undefined;
    mappers.push({
      name,
      at: start,
      map: mapFlat(
        all.map(([column]) => column),
        start,
      ),
    });
    start += all.length;
  }
  return (row) =>
    Object.fromEntries(mappers.map(({ name, at, map }) => [name, row[at] === null ? null : map(row)]));
}

function isPlain(field: unknown): boolean {
  return is(field, Column) && field.mapFromDriverValue === Column.prototype.mapFromDriverValue;
}

function columnsOf(field: unknown): object | undefined {
  if (is(field, Table)) return getTableColumns(field);
  return typeof field === 'object' && field !== null && field.constructor === Object ? field : undefined;
}

/** Maps the values from `start` on to an object with these names. */
function mapFlat(names: readonly string[], start: number): (row: RawRow) => object {
  // A copy of an object whose names exist already is faster than adding them one by one.
  const empty: Record<string, unknown> = JSON.parse(
    JSON.stringify(Object.fromEntries(names.map((name) => [name, null]))),
  );
  return (row) => {
    const mapped = { ...empty };
    for (let at = 0; at < names.length; at++) mapped[names[at] ?? ''] = row[start + at];
    return mapped;
  };
}
