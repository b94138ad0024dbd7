import { expect, test } from 'vitest';
import { staffText } from '../../../src/contract/staff/staff.ts';
import { createAccount, createConsoleTill, plainText } from '../../kit/console.ts';

const payer = '0244123456';

test('a payment that another phone requested names that phone as its source, and leads to its requests', async () => {
  const till = await createConsoleTill();
  await till.pay('0201234567', ['2', payer, '1', '20', '1']);
  const { id } = await till.untilStatus(payer, 'initiated');
  const browser = await (await createAccount(till, 'ama', 'lead')).signIn();
  expect((await browser.get(`/payments/${id}`)).text).toContain('Check with the service now');
  await till.declined();
  const { text } = await browser.get(`/payments/${id}`);
  const page = plainText(text);
  expect(page).toContain(
    'Another phone, 020 ••• 4567, requested this payment. The payer declined the prompt; no money was taken.',
  );
  expect(page).toContain('Another phone asked you to pay, and the prompt was declined.');
  expect(page).not.toMatch(/dial again/i);
  expect(text).toContain(`href="/console/abuse/${id}"`);
  expect(page).toContain('another phone dialled');
  expect(page).not.toContain('payer dialled');
  // A final result is not asked for again.
  expect(text).not.toContain('Check with the service now');
});

test.each(['👍', '👩🏽‍🌾 paid', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', 'ok ❤️', '😀'.repeat(1_000)])('the note %j is accepted', (note) => {
  expect(staffText.safeParse(note)).toEqual({ success: true, data: note });
});

test('a pasted note becomes one line', () => {
  expect(staffText.parse(' paid at\t9:00\r\nby the son\n')).toBe('paid at 9:00 by the son');
});

test.each(['bell \u0007', 'hidden \u202e text', 'a\u200db', '😀'.repeat(1_001)])(
  'the note %j is refused',
  (note) => {
    expect(staffText.safeParse(note).success).toBe(false);
  },
);
