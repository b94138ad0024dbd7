import { expect, test } from 'vitest';
import { checkStatement, createPayerPhone, createShop, payer } from '../kit/payers.ts';
import { shopMenu } from '../kit/shop-menu.ts';
import type { Till } from '../kit/till.ts';

/** Returns the bytes of the state of each turn. */
async function sizes(till: Till): Promise<number[]> {
  const rows = await till.ledger.rows<{ state: string }>('SELECT state FROM turn ORDER BY seq');
  return rows.map(({ state }) => Buffer.byteLength(state));
}

/** Five lists of twenty items each: the maximum for a menu. */
const item = { name: { text: 40 }, due: { amount: '5000.00' }, note: { text: 40 }, place: { text: 40 } };
const lists = Object.fromEntries(
  ['one', 'two', 'three', 'four', 'five'].map((name) => [name, { list: 20, of: item, from: 'all' }]),
);
const all = Array.from({ length: 20 }, (_, n) => ({
  name: 'N'.repeat(40),
  due: 1_000 + n,
  note: 'R'.repeat(40),
  place: 'P'.repeat(40),
}));

test('the row of a turn stays below 64 KiB in a dialogue with many long lookups, and the payer can still go back', async () => {
  const menu = shopMenu({
    screens: {
      welcome: {
        kind: 'ask',
        answer: 'text',
        name: 'number',
        pattern: 'id\\d+',
        text: 'Number:',
        to: 'find',
      },
      find: { kind: 'lookup', take: lists, found: 'found', fallback: 'found' },
      found: {
        kind: 'choose',
        text: 'Of {number}',
        options: [
          { label: 'Another', to: 'welcome' },
          { label: 'Requests', to: 'requests' },
          { label: 'Number', to: 'number' },
          { label: 'Bill', to: 'bill' },
          { label: 'Paid?', to: 'status' },
        ],
      },
    },
  });
  const till = await createShop({ menu, handlers: { find: async () => ({ all }) } });
  const phone = createPayerPhone(till, payer);
  await phone.dial();
  for (let n = 0; n < 14; n++) {
    expect(await phone.type(`id${n}`)).toContain(`Of id${n}`);
    await phone.press('Another');
  }
  // The lists are still there on the screen before the question.
  expect(await phone.type('0')).toContain('Of id13');
  await phone.press('Another');
  // The row of an interrupted dialogue also holds the state that can be resumed.
  expect(await phone.dial()).toContain('your session was interrupted');
  expect(await phone.press('Continue')).toContain('Number:');
  expect(await phone.type('0')).toContain('Of id13');
  const rows = await sizes(till);
  expect(rows).toHaveLength(34);
  expect(Math.max(...rows)).toBeGreaterThan(16 * 1024);
  expect(Math.max(...rows)).toBeLessThan(64 * 1024);
  expect(await checkStatement(till)).toMatchObject({ pushes: 0 });
});
