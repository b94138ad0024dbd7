import { describe, expect, test } from 'vitest';
import {
  maxStatementBytes,
  maxStatementLines,
  readStatement,
  type StatementFormat,
} from '../../../src/gateway/service-statement/read-statement.ts';

const from = Date.parse('2026-03-06T00:00:00Z');
const span = { from, to: from + 86_400_000 };
const format: StatementFormat = {
  columns: {
    session: 'session_id',
    time: 'paid_at',
    total: 'total',
    price: 'price',
    fee: 'fee',
    status: 'status',
  },
  statuses: { paid: ['paid'], reversed: ['reversed'], ignored: ['failed'] },
};
const head = 'session_id,paid_at,status,price,fee,total';
const read = (text: string, other: Partial<StatementFormat> = {}) =>
  readStatement(text, { ...format, ...other }, span);

const expected = {
  ok: true,
  ignored: 0,
  lines: [{ sessionId: 'pay_1', at: from + 7_250, totalMinor: 120_420, feeMinor: 420, priceMinor: 120_000 }],
};

test.each([
  ['as the sandbox writes it', `${head}\r\npay_1,2026-03-06T00:00:07.250Z,paid,1200.00,4.20,1204.20\r\n`],
  [
    'with a byte order mark, and without an end of the last line',
    `\uFEFF${head}\npay_1,2026-03-06 00:00:07.250,PAID,1200,4.2,1204.20`,
  ],
  [
    'with semicolons, quotes and blank lines',
    `${head.replaceAll(',', ';')}\r\r"pay_1";"06/03/2026 00:00:07.250";paid;"1,200.00";4.20;"GHS 1,204.20"\r`,
  ],
  [
    'with other columns between, in another order and case',
    `Total,note,FEE,price,Status,paid_at,Session_ID\n1204.20,"a ""b"",\nc",4.20,1200.00,paid,2026-03-06T01:00:07.250+01:00,pay_1\n`,
  ],
])('reads a file %s', (_, text) => {
  expect(read(text)).toEqual(expected);
});

test('the lines of a session are added up, a reversal takes money back, and lines that are no money are counted', () => {
  const line = (status: string, total: string) =>
    `pay_1,2026-03-06T00:00:07.250Z,${status},0.00,0.00,${total}\n`;
  const found = read(
    `${head}\n${line('paid', '20.20')}${line('paid', '20.20')}${line('reversed', '20.20')}${line('failed', '9.00')}`,
  );
  expect(found).toMatchObject({ ok: true, ignored: 1, lines: [{ sessionId: 'pay_1', totalMinor: 2_020 }] });
});

test('a file without columns of prices, fees and statuses is read by its totals', () => {
  const columns = { ...format.columns, price: null, fee: null, status: null };
  expect(read('session_id,paid_at,total\npay_1,2026-03-06 12:00,20.20', { columns })).toMatchObject({
    lines: [{ totalMinor: 2_020, feeMinor: null, priceMinor: null }],
  });
});

describe('a file with one fault is refused whole', () => {
  const good = 'pay_1,2026-03-06T09:00:00Z,paid,20.00,0.20,20.20';
  test.each([
    [
      '',
      /^line 1: expected the columns session_id, paid_at, total, price, fee, status, separated by commas or semicolons$/,
    ],
    [`${head.replace('fee', 'charge')}\n${good}`, /^line 1: expected the columns/],
    [`${head}\n${good}\n${good.replace('20.20', '20,20')}`, /^line 3: expected 6 cells, found 7$/],
    [
      `${head}\n${good}\n\n${good.replace('20.20', '"20,20"')}`,
      /^line 4, column total: expected an amount such as 20.20, found "20,20"$/,
    ],
    [`${head}\n${good.replace('0.20', '-0.20')}`, /^line 2, column fee: expected an amount/],
    [
      `${head}\n${good.replace('2026-03-06T', '2026-02-30T')}`,
      /^line 2, column paid_at: expected a time such as/,
    ],
    [
      `${head}\n${good.replace('2026-03-06T', '2026-03-09T')}`,
      /^line 2, column paid_at: expected a time on 2026-03-06, found/,
    ],
    [
      `${head}\n${good.replace(',paid,', ',pending,')}`,
      /^line 2, column status: expected one of paid, reversed, failed, found "pending"$/,
    ],
    [
      `${head}\n${good.replace('pay_1', '')}`,
      /^line 2, column session_id: expected the id of a payment session/,
    ],
    [
      `${head}\n"a\nb",x,paid,1,1,1\n${good.replace('pay_1', '"pay_1')}`,
      /^line 4: expected a quote at both ends of a cell/,
    ],
    [
      `${head}\n${good.replace('pay_1', `"${'x'.repeat(501)}"`)}`,
      /^line 2: expected cells of at most 500 characters$/,
    ],
    [`${head}\n${`${good}\n`.repeat(maxStatementLines + 1)}`, /^line 20002: expected at most 20001 lines$/],
  ])('%#', (text, message) => {
    expect(read(text)).toEqual({ ok: false, message: expect.stringMatching(message) });
  });

  test('and the answer shows no phone number', () => {
    expect(JSON.stringify(read(`${head}\n0244123456 kofi,x,paid,1,1,1`))).not.toContain('244123456');
  });
});

const hour = 3_600_000;
/** Reads one paid line with a time or a session of its own. */
const readLine = ({ time = '2026-03-06T09:00:00Z', session = 'pay_1' }) =>
  read(`${head}\n${session},${time},paid,20.00,0.20,20.20`);

test.each([
  ['2026-03-06T00:00', 0],
  ['2026-03-06 00:00:07', 7_000],
  ['2026-03-06T00:00:07.1Z', 7_100],
  ['2026-03-06T00:00:07.123456', 7_123],
  ['2026-03-06T01:00 +01:00', 0],
  ['2026-03-05T20:00-04:00', 0],
  ['06/03/2026 00:00', 0],
  ['2026-03-05T23:00:00Z', -hour],
  ['2026-03-07T00:59:59.999Z', 25 * hour - 1],
])('%s is a time of the statement', (time, sinceMs) => {
  expect(readLine({ time })).toMatchObject({ ok: true, lines: [{ at: from + sinceMs }] });
});

test.each([
  ...[
    '2026-03-06',
    '2026-03-06T9:00',
    '6/3/2026 09:00',
    '2026-03-06T25:00',
    '31/04/2026 00:00',
    '2026-13-06 00:00',
  ],
  ...['x2026-03-06T00:00', '2026-03-06T00:00x', '2026-03-06T00:00 01:00', '2026-03-06T00:00:07.1234567', ''],
])('%j is no time', (time) => {
  const message = `line 2, column paid_at: expected a time such as 2026-03-06T09:00:07Z, found "${time}"`;
  expect(readLine({ time })).toEqual({ ok: false, message });
});

test.each(['2026-03-05T22:59:59.999Z', '2026-03-07T01:00:00Z'])('%s is not of the day', (time) => {
  const message = `line 2, column paid_at: expected a time on 2026-03-06, found "${time}"`;
  expect(readLine({ time })).toEqual({ ok: false, message });
});

test('the id of a payment session has 1 to 128 visible characters, and a fault shows 60 of them', () => {
  for (const session of ['~'.repeat(128), '!', ' pay_1 '])
    expect(readLine({ session })).toMatchObject({ lines: [{ sessionId: session.trim() }] });
  for (const session of ['', 'x'.repeat(129), 'a b', 'é', 'pay\u007f']) {
    const message = `line 2, column session_id: expected the id of a payment session, found "${session.slice(0, 60)}"`;
    expect(readLine({ session })).toEqual({ ok: false, message });
  }
});

test('sessions are in the order of their ids, each with its first time and the sum of its amounts', () => {
  const line = (session: string, time: string) => `${session},2026-03-06T${time}Z, Paid ,20.00,0.20,20.20`;
  const text = [
    head.replaceAll(',', ' ,'),
    line('pay_2', '09:00'),
    line('pay_3', '07:00'),
    line('pay_1', '08:00'),
    line('pay_2', '08:00'),
  ];
  const amounts = { totalMinor: 2_020, feeMinor: 20, priceMinor: 2_000 };
  expect(read(text.join('\n'))).toEqual({
    ok: true,
    ignored: 0,
    lines: [
      { sessionId: 'pay_1', at: from + 8 * hour, ...amounts },
      { sessionId: 'pay_2', at: from + 8 * hour, totalMinor: 4_040, feeMinor: 40, priceMinor: 4_000 },
      { sessionId: 'pay_3', at: from + 7 * hour, ...amounts },
    ],
  });
});

test('a statement has at most 2 MiB', () => {
  expect(maxStatementBytes).toBe(2_097_152);
});
