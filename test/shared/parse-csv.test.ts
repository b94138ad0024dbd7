import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvDelimiters, parseCsv } from '../../src/shared/parse-csv.ts';

const bounds = { delimiter: ',', maxRecords: 3, maxCell: 4 } as const;
const record = (line: number, ...cells: string[]) => ({ line, cells });

test.each([
  ['', []],
  ['\uFEFFa,b', [record(1, 'a', 'b')]],
  ['a,b\r\nc,d\n', [record(1, 'a', 'b'), record(2, 'c', 'd')]],
  ['a\r\rb\r', [record(1, 'a'), record(3, 'b')]],
  ['\n\n""\n', [record(3, '')]],
  ['a,\n,', [record(1, 'a', ''), record(2, '', '')]],
  ['"a\r\n""",b\nc', [record(1, 'a\r\n"', 'b'), record(3, 'c')]],
  ['"a\rb",c\nd', [record(1, 'a\rb', 'c'), record(3, 'd')]],
  ['"""""",a;b', [record(1, '""', 'a;b')]],
  ['a\nb\nc\n\n', [record(1, 'a'), record(2, 'b'), record(3, 'c')]],
])('the records of %j, with their lines', (text, records) => {
  expect(parseCsv(text, bounds)).toEqual({ ok: true, records });
});

test('cells are separated by semicolons where the delimiter is one', () => {
  const records = [record(1, 'a,', 'b'), record(2, 'c', 'd')];
  expect(parseCsv('a,;"b"\nc;d', { ...bounds, delimiter: ';' })).toEqual({ ok: true, records });
  expect(csvDelimiters).toEqual([',', ';']);
});

const quotes = 'expected a quote at both ends of a cell, and "" for one in it';

test.each([
  ['a\n"b', 2, quotes],
  ['"a"b', 1, quotes],
  ['a"b', 1, quotes],
  ['"a\nb",c"', 2, quotes],
  ['a\nb,ccccc', 2, 'expected cells of at most 4 characters'],
  ['a\nb\nc\n\n"\n"\n', 5, 'expected at most 3 lines'],
])('%j has a fault in line %i', (text, line, message) => {
  expect(parseCsv(text, bounds)).toEqual({ ok: false, line, message });
});

test('whatever cells are written with quotes are read again, with the line of each record', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\n', '\r\n', ' ', 'é'), maxLength: 8 });
  const records = fc.array(fc.array(cell, { minLength: 1, maxLength: 5 }), { maxLength: 10 });
  fc.assert(
    fc.property(records, fc.constantFrom(',', ';'), (written, delimiter) => {
      const rows = written.map((cells) =>
        cells.map((one) => `"${one.replaceAll('"', '""')}"`).join(delimiter),
      );
      const parsed = parseCsv(rows.join('\n'), { delimiter, maxRecords: 100, maxCell: 100 });
      expect(parsed.ok && parsed.records.map(({ cells }) => cells)).toEqual(written);
      const breaks = (text: string) => text.match(/\r\n|\n/g)?.length ?? 0;
      const lines = rows.map(
        (_, at) => 1 + at + rows.slice(0, at).reduce((sum, row) => sum + breaks(row), 0),
      );
      expect(parsed.ok && parsed.records.map(({ line }) => line)).toEqual(lines);
    }),
  );
});
