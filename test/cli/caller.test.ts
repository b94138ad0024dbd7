import { expect, test } from 'vitest';
// Loaded before the clock advances.
import '../../src/gateway/support/caller-query.ts';
import '../../src/gateway/support/reads.ts';
import { registerBlock } from '../../src/cli/commands/block.ts';
import { registerLedger } from '../../src/cli/commands/ledger/ledger.ts';
import { withStaff } from '../kit/staff.ts';
import { runAs } from '../kit/staff-command.ts';
import { createTill } from '../kit/till.ts';

const payer = '0244123456';
const friend = '0201234567';

test('caller prints both roles, dialogues without a payment, blocks, notes, and what to say', async () => {
  const till = await createTill({ configure: withStaff });
  const run = (...args: string[]) =>
    runAs(till, 'ama', args, (program, deps) => {
      registerLedger(program, deps);
      registerBlock(program, deps);
    });
  await till.pay(friend, ['2', payer, '1', '20', '1']);
  const request = await till.untilStatus(payer, 'initiated');
  await till.declined();
  await till.pay(payer, ['1', '20', '2']);
  await run('ledger', 'note', request.id, 'never asked for it');
  await run('block', 'add', payer, '--as', 'payer', '--reason', 'asked for it');
  const { out, err } = await run('ledger', 'caller', payer);
  expect(err).toBe('');
  expect(out).toMatch(/^0244123456 · MTN · 1 payment, 0 paid · last dialled 2026-03-06 [\d:.]+ UTC$/m);
  expect(out).toContain('say to the caller  Your last call ended before you confirmed a payment');
  expect(out).toMatch(new RegExp(`${request.id} .* payer, requested by ${friend} `));
  expect(out).toMatch(/No input on the last screen {2}Number that pays/);
  expect(out).toMatch(/payer {2}all merchants {2}ama .* asked for it$/m);
  expect(out).toMatch(/ama {2}col_\w+ {2}never asked for it$/m);

  const other = await run('ledger', 'caller', friend, '--role', 'dialler', '--json');
  const { msisdn, counts, payments } = JSON.parse(other.out);
  expect([msisdn, counts, payments.total]).toEqual(['233201234567', { payer: 0, dialler: 1 }, 1]);
  expect((await run('ledger', 'caller', request.id)).out).toBe(out);
  for (const [name, message] of [
    ['dlg_none', 'no payment and no dialogue dlg_none'],
    ['abena', 'expected a number such as 0244123456'],
  ] as const) {
    const failed = await run('ledger', 'caller', name);
    expect([failed.code, failed.err]).toEqual([1, expect.stringContaining(message)]);
  }
  expect((await run('ledger', 'caller', payer, '--role', 'friend')).code).toBe(2);
});

test('caller prints the habits of a payer with three paid payments', async () => {
  const till = await createTill({ configure: withStaff });
  for (const number of [payer, '0244123457', '0244123458']) await till.paidPayment(number);
  const ofPayer = { sql: 'UPDATE collection SET payer = ?, dialler = ?', rows: 3 };
  expect(await till.write([{ ...ofPayer, args: ['233244123456', '233244123456'] }])).toBe(true);
  const { out } = await runAs(till, 'ama', ['ledger', 'caller', payer], registerLedger);
  expect(out).toMatch(
    /^habits {13}of 3 paid payments, 3 dialled by this phone, usually GHS 20\.00, prompts answered in \d+ s \(median\)$/m,
  );
});
