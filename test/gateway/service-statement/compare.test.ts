import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addAmounts,
  type BookedPayment,
  compareStatement,
  type DifferenceKind,
  graceMs,
  type StatementLine,
} from '../../../src/gateway/service-statement/compare.ts';

const from = Date.parse('2026-03-06T00:00:00Z');
const to = from + 86_400_000;
const noon = from + 43_200_000;

const booked = (change: Partial<BookedPayment> = {}): BookedPayment => ({
  ...{ collectionId: 'col_1', sessionId: 'pay_1', openedAt: noon, paidAt: noon + 60_000 },
  ...{ totalMinor: 2_020, feeMinor: 20, priceMinor: 2_000 },
  ...change,
});

const line = (change: Partial<StatementLine> = {}): StatementLine => ({
  ...{ sessionId: 'pay_1', at: noon + 60_000, totalMinor: 2_020, feeMinor: 20, priceMinor: 2_000 },
  ...change,
});

const compare = (books: BookedPayment[], statement: StatementLine[]) =>
  compareStatement({ span: { from, to }, books, statement });

const twice = [booked(), booked({ collectionId: 'col_2' })];
const doubled = { totalMinor: 4_040, feeMinor: 40, priceMinor: 4_000 };

const cases: readonly [name: string, BookedPayment[], StatementLine[], DifferenceKind[]][] = [
  ['nothing on either side', [], [], []],
  ['the same payment', [booked()], [line()], []],
  ['a statement without prices and fees', [booked()], [line({ feeMinor: null, priceMinor: null })], []],
  ['books without prices and fees', [booked({ feeMinor: null, priceMinor: null })], [line()], []],
  ['only in the books', [booked()], [], ['only_in_books']],
  [
    'only in the books, of a decision without a session',
    [booked({ sessionId: null })],
    [],
    ['only_in_books'],
  ],
  ['only in the statement', [], [line()], ['only_in_statement']],
  ['charged and reversed on the day', [], [line({ totalMinor: 0, feeMinor: 0, priceMinor: 0 })], []],
  ['reversed, and paid in the books', [booked()], [line({ totalMinor: 0 })], ['amount']],
  ['another total', [booked()], [line({ totalMinor: 2_019 })], ['amount']],
  ['another fee', [booked()], [line({ feeMinor: 21 })], ['amount']],
  ['another price', [booked()], [line({ priceMinor: 1_999 })], ['amount']],
  ['paid just after midnight', [booked({ openedAt: to - 1, paidAt: to })], [], ['later_day']],
  ['paid within the grace', [booked({ openedAt: to - 1, paidAt: to + graceMs - 1 })], [], ['later_day']],
  ['paid after the grace', [booked({ openedAt: to - 1, paidAt: to + graceMs })], [], ['only_in_books']],
  ['paid before midnight', [booked({ openedAt: to - 2, paidAt: to - 1 })], [], ['only_in_books']],
  [
    'no time of payment, opened near midnight',
    [booked({ openedAt: to - graceMs, paidAt: null })],
    [],
    ['later_day'],
  ],
  ['no time of payment, opened at noon', [booked({ paidAt: null })], [], ['only_in_books']],
  [
    'opened the day before, paid just after midnight',
    [booked({ openedAt: from - 1 })],
    [line({ at: from })],
    ['later_day'],
  ],
  ['opened the day before, paid at noon', [booked({ openedAt: from - 1 })], [line()], ['only_in_statement']],
  [
    'opened the day before, stated after the grace',
    [booked({ openedAt: from - 1 })],
    [line({ at: from + graceMs })],
    ['only_in_statement'],
  ],
  [
    'opened the day after, stated just after midnight',
    [booked({ openedAt: to })],
    [line({ at: from })],
    ['only_in_statement'],
  ],
  ['opened the day after', [booked({ openedAt: to })], [line()], ['only_in_statement']],
  [
    'opened the day before, of another amount',
    [booked({ openedAt: from - 1 })],
    [line({ at: from, totalMinor: 1 })],
    ['amount'],
  ],
  ['of another day and not in the statement', [booked({ openedAt: from - 1 })], [], []],
  ['two charges of a session in the books, one in the statement', twice, [line()], ['amount']],
  ['two charges of a session in both', twice, [line(doubled)], []],
];

describe('compareStatement', () => {
  test.each(cases)('%s', (_, books, statement, kinds) => {
    expect(compare(books, statement).map(({ kind }) => kind)).toEqual(kinds);
  });
});

test('a difference states the amounts and times of both sides', () => {
  const amounts = { totalMinor: 2_020, feeMinor: 20, priceMinor: 2_000 };
  const id = expect.stringMatching(/^dif_[0-9a-f]{20}$/);
  const both = {
    id,
    kind: 'amount',
    sessionId: 'pay_1',
    collectionId: 'col_1',
    openedAt: noon,
    paidAt: from,
  };
  expect(compare([booked()], [line({ totalMinor: 1, at: from })])).toEqual([
    { ...both, books: amounts, statement: { ...amounts, totalMinor: 1 } },
  ]);
  expect(compare([booked()], [])).toEqual([
    { ...both, kind: 'only_in_books', paidAt: noon + 60_000, books: amounts, statement: null },
  ]);
  expect(compare([], [line({ at: from })])).toEqual([
    {
      ...{ ...both, kind: 'only_in_statement', collectionId: null, openedAt: null },
      ...{ books: null, statement: amounts },
    },
  ]);
});

test('a part that one of two amounts has not, their sum has not either', () => {
  const one = { totalMinor: 1, feeMinor: null, priceMinor: 2 };
  expect(addAmounts(one, { totalMinor: 3, feeMinor: 4, priceMinor: null })).toEqual({
    ...{ totalMinor: 4, feeMinor: null, priceMinor: null },
  });
  expect(addAmounts(one, { totalMinor: 3, feeMinor: null, priceMinor: 5 }).priceMinor).toBe(7);
});

test('the id of a difference names its amounts: another amount is another difference', () => {
  const idOf = (totalMinor: number) => compare([booked()], [line({ totalMinor })])[0]?.id;
  expect(idOf(1_000)).toBe(idOf(1_000));
  expect(idOf(1_000)).not.toBe(idOf(1_001));
});

test('without a difference, the books of the day and the statement have the same sum', () => {
  const amount = fc.constantFrom(0, 2_020, 4_040);
  const session = fc.constantFrom('pay_1', 'pay_2', null);
  const opened = fc.constantFrom(from - 1, from, noon, to - 1, to);
  const payments = fc.array(fc.record({ sessionId: session, openedAt: opened, totalMinor: amount }), {
    maxLength: 4,
  });
  const lines = fc.uniqueArray(
    fc.record({ sessionId: fc.constantFrom('pay_1', 'pay_2'), totalMinor: amount }),
    {
      selector: ({ sessionId }) => sessionId,
    },
  );
  const sum = (rows: { totalMinor: number }[]) => rows.reduce((total, one) => total + one.totalMinor, 0);
  const noParts = { feeMinor: null, priceMinor: null };
  fc.assert(
    fc.property(payments, lines, (paid, stated) => {
      const books = paid.map((one, at) => booked({ ...noParts, ...one, collectionId: `col_${at}` }));
      const statement = stated.map((one) => line({ ...noParts, ...one }));
      if (compare(books, statement).length > 0) return;
      const ofDay = books.filter(({ openedAt }) => openedAt >= from && openedAt < to);
      expect(sum(ofDay)).toBe(sum(statement));
    }),
    { numRuns: 2_000 },
  );
});

const plants = ['equal', 'only_in_books', 'only_in_statement', 'amount', 'later_day'] as const;

test('random books and a statement with planted differences: exactly those are found', () => {
  const payment = fc.record({
    plant: fc.constantFrom(...plants),
    second: fc.integer({ min: 0, max: 80_000 }),
    price: fc.integer({ min: 1, max: 1_000_000 }),
    fee: fc.integer({ min: 0, max: 1_000 }),
    extra: fc.integer({ min: 1, max: 500 }),
    isNextDay: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(payment, { maxLength: 60 }), fc.integer(), (payments, order) => {
      const books: BookedPayment[] = [];
      const statement: StatementLine[] = [];
      const planted: string[] = [];
      for (const [at, { plant, second, price, fee, extra, isNextDay }] of payments.entries()) {
        const sessionId = `pay_${at}`;
        const amounts = { totalMinor: price + fee, feeMinor: fee, priceMinor: price };
        const openedAt = from + second * 1_000;
        const own = { collectionId: `col_${at}`, sessionId, openedAt, paidAt: openedAt + 30_000, ...amounts };
        const same = { sessionId, at: openedAt + 30_000, ...amounts };
        if (plant !== 'equal') planted.push(`${plant} ${sessionId}`);
        if (plant === 'equal') {
          books.push(own);
          statement.push(same);
        } else if (plant === 'only_in_books') books.push(own);
        else if (plant === 'only_in_statement') statement.push(same);
        else if (plant === 'amount') {
          books.push(own);
          statement.push({ ...same, totalMinor: amounts.totalMinor + extra });
        } else if (isNextDay) books.push({ ...own, openedAt: to - extra, paidAt: to + extra });
        else {
          books.push({ ...own, openedAt: from - extra, paidAt: from + extra });
          statement.push({ ...same, at: from + extra });
        }
      }
      const shift = statement.length === 0 ? 0 : Math.abs(order) % statement.length;
      const found = compare(books, [...statement.slice(shift), ...statement.slice(0, shift)]);
      expect(found.map(({ kind, sessionId }) => `${kind} ${sessionId}`).sort()).toEqual(planted.sort());
      expect(new Set(found.map(({ id }) => id)).size).toBe(found.length);
    }),
  );
});
