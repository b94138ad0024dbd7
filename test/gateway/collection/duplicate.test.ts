import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { IntentRequest } from '../../../src/gateway/collection/opening/prepare-intent.ts';
import { summarizePayment } from '../../../src/gateway/collection/payment-summary.ts';
import { duplicateIn } from '../../../src/gateway/dialogue/run-effects.ts';
import type { AmountMinor } from '../../../src/shared/money.ts';
import { type Bench, createBench, type End, number } from './bench.ts';
import { minute } from './support.ts';

const payment = {
  merchantId: 'demo-shop',
  livemode: 0,
  payer: number(1),
  dialler: number(1),
  goodsMinor: 2_000 as AmountMinor,
} as const;

const lapse = ({ store }: Bench, id: string) =>
  store.apply([{ sql: 'UPDATE collection SET lapsed_at = 1 WHERE id = ?', args: [id], rows: 1 }]);

test.each<[string, Partial<IntentRequest>, End | 'lapsed' | undefined, boolean]>([
  ['paid', {}, { status: 'paid' }, true],
  ['paid after another phone asked', { dialler: number(2) }, { status: 'paid' }, true],
  ['under review after another phone asked', { dialler: number(2) }, { status: 'review' }, false],
  ['lapsed after another phone asked', { dialler: number(2) }, 'lapsed', false],
  ['under review', {}, { status: 'review', review: 'no_outcome' }, true],
  ['lapsed', {}, 'lapsed', true],
  ['waiting', {}, undefined, false],
  ['failed', {}, { status: 'failed' }, false],
  ['expired', {}, { status: 'expired' }, false],
  ['of another amount', { goodsMinor: 2_001 as AmountMinor }, { status: 'paid' }, false],
  ['of another payer', { payer: number(2) }, { status: 'paid' }, false],
  ['of a bill', { reference: 'INV-1' }, { status: 'paid' }, false],
  ['at another merchant', { merchantId: 'other-shop' }, { status: 'paid' }, false],
  ['in the other mode', { livemode: 1 }, { status: 'paid' }, false],
])('a collection that is %s is compared with the payment: %#', async (_, changed, end, isDuplicate) => {
  const bench = createBench();
  const { row } = await bench.open(changed);
  if (end === 'lapsed') await lapse(bench, row.id);
  else if (end) await bench.end(row, end);
  const found = await bench.collections.findDuplicate({
    ...payment,
    reference: undefined,
    since: row.openedAt,
  });
  expect(found?.id).toBe(isDuplicate ? row.id : undefined);
});

test('finds the newest collection with the same reference that is not older than the window', async () => {
  const bench = createBench();
  const pay = async (reference: string) => {
    const { row } = await bench.open({ reference });
    await bench.end(row, { status: 'paid' });
    await bench.clock.advance(minute);
    return row;
  };
  const [, second] = [await pay('INV-1'), await pay('INV-1')];
  for (let n = 0; n < 50; n++) await pay(`INV-X${n}`);
  const find = (reference: string | undefined, since: number) =>
    bench.collections.findDuplicate({ ...payment, reference, since });
  expect((await find('INV-1', second.openedAt))?.id).toBe(second.id);
  expect(await find('INV-1', second.openedAt + 1)).toBeUndefined();
  expect(await find('INV-2', 0)).toBeUndefined();
  expect(await find(undefined, 0)).toBeUndefined();
  // A generated short reference does not match a typed reference.
  const { row } = await bench.open();
  await bench.end(row, { status: 'paid' });
  expect(await find(row.reference, 0)).toBeUndefined();
  expect((await find(undefined, 0))?.id).toBe(row.id);
});

test('the query agrees with a filter over all collections', async () => {
  const bench = createBench();
  let shops = 0;
  const person = fc.integer({ min: 1, max: 3 });
  const persons = [number(1), number(2), number(3)];
  const past = fc.record({
    payer: person,
    dialler: person,
    amount: fc.constantFrom(100, 200),
    reference: fc.constantFrom(undefined, 'A1', 'B2'),
    end: fc.constantFrom<End['status'] | 'lapsed'>(
      'paid',
      'failed',
      'expired',
      'abandoned',
      'review',
      'lapsed',
    ),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(past, { maxLength: 12 }), fc.nat(12), async (all, after) => {
      const merchantId = `shop-${shops++}`;
      const ids: string[] = [];
      const startedAt = bench.clock.now();
      for (const { payer, dialler, amount, reference, end } of all) {
        const { row, done } = await bench.open({
          ...{ merchantId, reference, payer: number(payer), dialler: number(dialler) },
          goodsMinor: amount as AmountMinor,
        });
        if (!done) continue;
        ids.unshift(row.id);
        if (end === 'lapsed') await lapse(bench, row.id);
        else await bench.end(row, { status: end });
        await bench.clock.advance(1);
      }
      const found = await Promise.all(ids.map((id) => bench.collections.find(id)));
      const recent = found.flatMap((row) => (row ? [summarizePayment(row)] : []));
      const since = startedAt + after;
      for (const [payer, dialler] of persons.flatMap((one) => persons.map((two) => [one, two] as const))) {
        for (const amountMinor of [100, 200] as AmountMinor[]) {
          for (const reference of [undefined, 'A1', 'B2']) {
            const intent = { payer, dialler, amountMinor, reference, shortReference: '00000000' };
            const asked = { merchantId, livemode: 0, payer, dialler, reference, since } as const;
            const found = await bench.collections.findDuplicate({ ...asked, goodsMinor: amountMinor });
            expect(found?.id).toBe(duplicateIn(recent, intent, since)?.id);
          }
        }
      }
    }),
    { numRuns: 40 },
  );
});
