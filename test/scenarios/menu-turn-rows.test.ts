import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { askBook, lineOf, openShop, payer } from '../kit/payers.ts';
import { shopMenu } from '../kit/shop-menu.ts';
import type { Till } from '../kit/till.ts';

function sizes(till: Till): number[] {
  const file = new Database(till.config.database.file, { readonly: true });
  try {
    return file
      .prepare('SELECT length(CAST(state AS BLOB)) FROM turn ORDER BY rowid')
      .pluck()
      .all() as number[];
  } finally {
    file.close();
  }
}

/** Five lists of twenty items each, all as long as a menu may take them. */
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

test('the row of a turn stays small however long a dialogue looks up long lists, and the way back stays open', async () => {
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
  const till = await openShop({ menu, handlers: { find: async () => ({ all }) } });
  const line = lineOf(till, payer);
  await line.dial();
  for (let n = 0; n < 14; n++) {
    expect(await line.type(`id${n}`)).toContain(`Of id${n}`);
    await line.press('Another');
  }
  // Back over the question to the answer before it, whose lists are there still.
  expect(await line.type('0')).toContain('Of id13');
  await line.press('Another');
  // Cut off: what is offered to be gone on with is in the row too.
  expect(await line.dial()).toContain('your session was interrupted');
  expect(await line.press('Continue')).toContain('Number:');
  expect(await line.type('0')).toContain('Of id13');
  const rows = sizes(till);
  expect(rows).toHaveLength(34);
  expect(Math.max(...rows)).toBeGreaterThan(16 * 1024);
  expect(Math.max(...rows)).toBeLessThan(64 * 1024);
  expect(await askBook(till)).toMatchObject({ pushes: 0 });
});

/** Two names are asked for, so that the first stands on the trail when the second was typed. */
const named = shopMenu({
  screens: {
    welcome: { kind: 'ask', answer: 'text', name: 'who', text: 'Name:', to: 'class' },
    class: { kind: 'ask', answer: 'text', name: 'class', text: 'Class of {who}:', to: 'amount' },
    amount: {
      kind: 'ask',
      answer: 'amount',
      min: '1.00',
      max: '50.00',
      text: 'Amount for {who}:',
      to: 'confirm',
    },
    confirm: { kind: 'confirm', text: 'Pay {amount}?\nFor {who}', to: 'done' },
  },
});

/** Writes the rows of a dialogue as a program did that called values texts. */
function asOlder(till: Till, state: string): void {
  const file = new Database(till.config.database.file);
  const triggers = file.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'turn'",
  );
  for (const name of triggers.pluck().all()) file.exec(`DROP TRIGGER ${name}`);
  file.exec(`UPDATE turn SET state = ${state}`);
  file.close();
}

const older = `replace(state, '"values"', '"texts"')`;

test('a dialogue that was begun by a program that called values texts goes on with them', async () => {
  const till = await openShop({ menu: named });
  const line = lineOf(till, payer);
  await line.dial();
  await line.type('Ama', 'JHS 1');
  asOlder(till, `json_remove(${older}, '$.menu')`);
  expect(await line.type('20')).toMatch(/^Pay GHS 20\.00\?\nFor Ama\n/);
  expect(await line.press('Yes')).toContain('Approve GHS 20.00');
});

test('who goes back in such a dialogue finds the answers as they were there', async () => {
  const till = await openShop({ menu: named });
  const line = lineOf(till, payer);
  await line.dial();
  await line.type('Ama', 'JHS 1');
  asOlder(till, older);
  expect(await line.type('0')).toMatch(/^Class of Ama:/);
  expect(await line.type('JHS 2')).toMatch(/^Amount for Ama:/);
});

test('who was cut off in such a dialogue, and goes on and back, finds them too', async () => {
  const till = await openShop({ menu: named });
  const line = lineOf(till, payer);
  await line.dial();
  await line.type('Ama', 'JHS 1');
  expect(await line.dial()).toContain('your session was interrupted');
  asOlder(till, older);
  expect(await line.press('Continue')).toMatch(/^Amount for Ama:/);
  expect(await line.type('0')).toMatch(/^Class of Ama:/);
});
