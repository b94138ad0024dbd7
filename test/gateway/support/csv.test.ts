// cspell:ignore avr févr vrai verdadeiro usann desemba
import { expect, test } from 'vitest';
import {
  answerCells,
  answerColumns,
  cedisCell,
  csvLine,
  exportTimes,
  plainCell,
  textCell,
} from '../../../src/gateway/support/export/csv.ts';

/** The text in a quoted cell without quotes of its own. */
const inside = (cell: string) => cell.slice(1, -1);

// One test: the names are collected once.
test('a month, a weekday or a currency before a number stays a text, and other words stay as they are', () => {
  const months = [
    'Jan 1',
    'mar2',
    'September 5',
    'Sept 2',
    'Févr 3',
    'avr5',
    'avr. 5',
    'Dec/12',
    'Desemba 1',
  ];
  const weekdays = ['Mon 5', 'Sunday, 5', 'Mon, May 5'];
  const amounts = ['GHS 5', 'gh₵5', 'GH¢ 5', 'cedi 5', 'cedis 5', 'USD5', 'cfa 5', 'fcfa 5', 'kr.5', 'GHS-5'];
  for (const text of [...months, ...weekdays, ...amounts]) expect(inside(textCell(text))).toBe(`'${text}`);
  for (const text of ['INV-7', 'Mary 2', 'Marble 5', 'x5', 's5', 'May fees 2', 'JHS 1'])
    expect(inside(textCell(text))).toBe(text);
});

test.each([
  ['a formula', '=1+1', '+1', '-1+2', '−5', '@SUM(1)', '#N/A'],
  ['a beginning that hides a formula', "'=1", "'", '\0a', '\ta', '\ra', '\na'],
  ['a formula behind invisible characters', '\u0001=1', '\u200e=1', '\u0301=1', '\u3000=1', ' @a'],
  [
    'a number',
    '007',
    '00',
    '-5',
    '.5',
    '5.0',
    '5 ',
    '5%',
    '%5',
    '$5',
    '$ 5',
    '( 5)',
    '½',
    '５',
    '1e9',
    '123456789012',
  ],
  ['a date or a time', '1-2', '3/4', '10:30', '2026-03-01', '3 May'],
  ['a logical value', 'TRUE', ' false ', 'vrai', 'VERDADEIRO', 'USANN', 'dogru', 'doğru', 'ложь', 'ＴＲＵＥ'],
])('a text that a spreadsheet would take for %s stays a text', (_, ...texts) => {
  expect(texts.map((text) => inside(textCell(text)))).toEqual(texts.map((text) => `'${text}`));
});

test.each([
  [
    'a name',
    'INV-7',
    'Ama, 5',
    "it's",
    'a=1',
    'a@b',
    'C#',
    'GH-1',
    'Mary 2',
    'Marble 5',
    'x5',
    's5',
    'JHS 1',
  ],
  ['a word that a number would follow', 'May', 'MAR', 'Monday', 'GHS', 'May fees 2'],
  ['a sentence of a logical value', 'true story', 'not true'],
  ['a plain number', '0', '7', '42', '23324412345'],
  ['nothing', ''],
  ['parts without a formula', 'a;b', 'a;b=1', 'a; b', 'a;', ';b', 'a\tb', 'a\r\nb', 'a; "b"', "a;it's"],
])('%s stays as it is', (_, ...texts) => {
  const quoted = texts.map((text) => text.replaceAll('"', '""'));
  expect(texts.map((text) => inside(textCell(text)))).toEqual(quoted);
});

test.each([
  ['a;=1', "a;'=1"],
  ['a; =1', "a;' =1"],
  ['a\t+1', "a\t'+1"],
  ['a\r-1', "a\r'-1"],
  ['a\n@b', "a\n'@b"],
  ['a;−1', "a;'−1"],
  ['a;＝1;b;=2', "a;'＝1;b;'=2"],
  ["a;'b", "a;''b"],
  ['a;" "=1', `a;'"" ""=1`],
  ['=1;=2', "'=1;'=2"],
])('%j is no formula behind the separator of another country either', (text, cell) => {
  expect(inside(textCell(text))).toBe(cell);
});

test('a quote of a text ends no cell, and cells and lines stay apart', () => {
  expect(csvLine([textCell('a"b","c'), plainCell('"'), plainCell(-5)])).toBe('"a""b"",""c","""","-5"\r\n');
});

test.each([
  [null, ''],
  [0, '0.00'],
  [5, '0.05'],
  [-5, '-0.05'],
  [20, '0.20'],
  [100, '1.00'],
  [2_020, '20.20'],
  [-2_020, '-20.20'],
  [123_456_789, '1234567.89'],
])('%s pesewas are the cedis %j, without rounding', (minor, cedis) => {
  expect(cedisCell(minor)).toBe(`"${cedis}"`);
});

test('answers are two cells, for people and for programs, and programs read the same values', () => {
  expect(answerColumns).toEqual(['answers', 'answers_json']);
  expect(answerCells([])).toEqual(['""', '""']);
  const answers = [
    { name: 'class', label: 'Class', value: 'JHS 1' },
    { name: 'note', label: 'Note', value: 'a;b;c' },
  ];
  expect(answerCells(answers)).toEqual([
    '"Class (class): JHS 1; Note (note): a;b;c"',
    String.raw`"{""class"":""JHS 1"",""note"":""a\u003bb\u003bc""}"`,
  ]);
});

test('an export selects by the time of opening or of booking', () => {
  expect(exportTimes).toEqual(['opened', 'booked']);
});
