/** The separators between the cells of a file. */
export const csvDelimiters = [',', ';'] as const;
export type CsvDelimiter = (typeof csvDelimiters)[number];

/** One record of a file: the line on which it begins, from 1, and its cells. */
export type CsvRecord = { line: number; cells: string[] };

export type CsvFault = { line: number; message: string };

/** A cell in quotes or without, and what ends it. */
const patterns: Readonly<Record<CsvDelimiter, RegExp>> = {
  ',': /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/y,
  ';': /(?:"([^"]*(?:""[^"]*)*)"|([^";\r\n]*))(;|\r\n|\n|\r|$)/y,
};

/**
 * Parses a file of comma-separated values (RFC 4180), also with semicolons, a byte order mark, and line ends of every system. Lines
 * without a character are skipped.
 *
 * @returns the records, or the first line that is none.
 */
export function parseCsv(
  text: string,
  { delimiter, maxRecords, maxCell }: { delimiter: CsvDelimiter; maxRecords: number; maxCell: number },
): { ok: true; records: CsvRecord[] } | ({ ok: false } & CsvFault) {
  const pattern = patterns[delimiter];
  const records: CsvRecord[] = [];
  let line = 1;
  let record: CsvRecord = { line, cells: [] };
  pattern.lastIndex = text.startsWith('\uFEFF') ? 1 : 0;
  for (;;) {
    const match = pattern.exec(text);
    if (!match)
      return { ok: false, line, message: 'expected a quote at both ends of a cell, and "" for one in it' };
    const [, quoted, plain = '', end] = match;
    const cell = quoted === undefined ? plain : quoted.replaceAll('""', '"');
    if (cell.length > maxCell)
      return { ok: false, line, message: `expected cells of at most ${maxCell} characters` };
    record.cells.push(cell);
    line += quoted?.match(/\r\n|\n|\r/g)?.length ?? 0;
    if (end === delimiter) continue;
    const isBlank = record.cells.length === 1 && cell === '' && quoted === undefined;
    if (!isBlank && records.length === maxRecords)
      return { ok: false, line: record.line, message: `expected at most ${maxRecords} lines` };
    if (!isBlank) records.push(record);
    line += 1;
    record = { line, cells: [] };
    if (end === '') return { ok: true, records };
  }
}
