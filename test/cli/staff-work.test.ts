import { expect, test } from 'vitest';
import { registerBlock } from '../../src/cli/commands/block.ts';
import { registerLedger } from '../../src/cli/commands/ledger/ledger.ts';
import { type StaffName, signInStaff, withStaff } from '../kit/staff.ts';
import { runAs } from '../kit/staff-command.ts';
import { createTill, type Till } from '../kit/till.ts';

/** Runs a command of support staff as a person. @throws Error when it fails. */
async function run(till: Till, name: StaffName, ...args: string[]) {
  const { out, err, code } = await runAs(till, name, args, (program, deps) => {
    registerLedger(program, deps);
    registerBlock(program, deps);
  });
  if (code !== 0) throw new Error(err);
  return out;
}

test('a collection is handed over, and lists and show name the person who has it', async () => {
  const till = await createTill({ configure: withStaff });
  await signInStaff(till, 'kofi');
  const { id } = await till.prompted();
  await till.prompted('0201234567');
  const mine = async (name: string) => {
    const page = JSON.parse(await run(till, 'ama', 'ledger', 'list', '--assigned', name, '--json'));
    return page.data.map((row: { id: string }) => row.id);
  };
  expect(await mine('kofi')).toEqual([]);
  expect(await run(till, 'ama', 'ledger', 'assign', id, 'kofi')).toBe(`assigned ${id} to kofi by ama\n`);
  expect(await mine('kofi')).toEqual([id]);
  await run(till, 'kofi', 'ledger', 'note', id, 'the payer sends the receipt tomorrow');
  await run(till, 'kofi', 'ledger', 'assign', id, 'ama');
  expect([await mine('kofi'), await mine('ama')]).toEqual([[], [id]]);
  const shown = await run(till, 'ama', 'ledger', 'show', id);
  expect(shown).toContain('assigned to      ama\n');
  expect(shown).toContain('support  ama: assigned to kofi\n');
  expect(shown).toContain('support  kofi: note: the payer sends the receipt tomorrow\n');
  expect(JSON.parse(await run(till, 'ama', 'ledger', 'show', id, '--json')).assignedTo).toBe('ama');
  expect(await run(till, 'ama', 'ledger', 'assign', id, 'none')).toBe(`unassigned ${id} by ama\n`);
  expect(await run(till, 'ama', 'ledger', 'show', id)).toContain('support  ama: unassigned\n');
  expect(await mine('ama')).toEqual([]);
  await expect(run(till, 'ama', 'ledger', 'assign', id, 'yaw')).rejects.toThrow(
    'refused: no person yaw: choose one of ama, kofi (not_found)',
  );
});

test('block adds, lists and removes blocks, and the audit says who did what, to what, why and when', async () => {
  const till = await createTill({ configure: withStaff });
  const key = ['0244123456', '--as', 'payer'];
  const add = ['block', 'add', ...key, '--reason', 'asked for it', '--until', '2026-03-31'];
  expect(await run(till, 'ama', ...add)).toBe(
    'blocked 0244123456 as payer until 2026-04-01T00:00:00.000Z, by ama\n',
  );
  await run(till, 'ama', 'block', 'add', '0201234567', '--as', 'dialler', '--reason', 'false requests');
  const list = await run(till, 'kofi', 'block', 'list');
  expect(list.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['number', 'as', 'merchant', 'until (UTC)', 'by', 'since (UTC)', 'reason'],
    ['0201234567', 'dialler', 'all', '-', 'ama', '2026-03-06 09:00:00.000', 'false requests'],
    [
      '0244123456',
      'payer',
      'all',
      '2026-04-01 00:00:00.000',
      'ama',
      '2026-03-06 09:00:00.000',
      'asked for it',
    ],
    ['shown: 2 of 2 blocks'],
    [''],
  ]);
  const first = JSON.parse(await run(till, 'kofi', 'block', 'list', '--limit', '1', '--json'));
  expect(first).toMatchObject({ data: [{ msisdn: '233201234567', until: null }], total: 2, next: '2' });
  const second = await run(till, 'kofi', 'block', 'list', '--limit', '1', '--after', first.next);
  expect(second).toContain('0244123456');
  expect(second).not.toContain('next page');

  await till.clock.advance(60_000);
  expect(await run(till, 'kofi', 'block', 'remove', ...key, '--reason', 'a mistake')).toBe(
    'removed the block of 0244123456 as payer, by kofi\n',
  );
  expect(await run(till, 'kofi', 'block', 'list', '--msisdn', '0244123456')).toBe('no blocks\n');

  const audit = await run(till, 'kofi', 'ledger', 'audit', '--subject', '0244123456');
  expect(audit.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['at (UTC)', 'who', 'action', 'result', 'subject', 'merchant', 'detail'],
    [
      ...['2026-03-06 09:01:00.000', 'kofi', 'unblock', 'done', '233244123456', 'all'],
      'role: payer, reason: a mistake',
    ],
    [
      ...['2026-03-06 09:00:00.000', 'ama', 'block', 'done', '233244123456', 'all'],
      'role: payer, reason: asked for it, until: 2026-04-01T00:00:00.000Z',
    ],
    ['shown: 2 of 2 actions'],
    [''],
  ]);
});

test('the audit filters and pages, newest first', async () => {
  const till = await createTill({ configure: withStaff });
  const { id } = await till.prompted();
  for (let n = 1; n <= 3; n++) await run(till, 'ama', 'ledger', 'note', id, `note ${n}`);
  await run(till, 'kofi', 'ledger', 'note', id, 'by kofi');
  const audit = async (...args: string[]) => {
    const page = JSON.parse(await run(till, 'ama', 'ledger', 'audit', ...args, '--json'));
    const texts = page.data.map(({ detail }: { detail: { text: string } }) => detail.text);
    return { total: page.total, next: page.next, texts };
  };
  expect(await audit('--limit', '3')).toEqual({
    total: 4,
    next: '2',
    texts: ['by kofi', 'note 3', 'note 2'],
  });
  expect(await audit('--after', '2')).toEqual({ total: 4, next: null, texts: ['note 1'] });
  expect((await audit('--actor', 'kofi')).texts).toEqual(['by kofi']);
  expect((await audit('--action', 'assign')).total).toBe(0);
  expect((await audit('--subject', id, '--merchant', 'demo-shop', '--to', '2026-03-06')).total).toBe(4);
  expect((await audit('--from', '2026-03-07')).total).toBe(0);
  await expect(run(till, 'ama', 'ledger', 'audit', '--after', 'x')).rejects.toThrow(
    'the ledger has no action x',
  );
});

test.each([
  ['block add 0244123456 --reason why', "required option '--as <role>' not specified"],
  ['block add 0244123456 --as payer', "required option '--reason <text>' not specified"],
  ['block add 0244123456 --as payer --reason why --until soon', 'Expected a day such as 2026-12-31'],
  ['block list --limit 0', 'Expected a whole number from 1 to 1000'],
])('%s is wrong usage', async (command, message) => {
  const till = await createTill({ configure: withStaff });
  await expect(run(till, 'ama', ...command.split(' '))).rejects.toThrow(message);
});
