import { expect, test } from 'vitest';
import { createAccount, createConsoleTill } from '../../kit/console.ts';

const payer = '0244123456';

test('an agent who is signed in searches for a number and reads the payment, with masked numbers', async () => {
  const till = await createConsoleTill();
  const agent = await createAccount(till, 'efua', 'agent');
  const { id } = await till.prompted(payer);
  const browser = await agent.signIn();
  const found = await browser.post('/search', { q: payer });
  expect(found).toMatchObject({ status: 303, location: `/console/payments/${id}` });
  const { text } = await browser.get(`/payments/${id}`);
  expect(text).toContain('Say to the caller');
  expect(text).toContain('024 ••• 3456');
  expect(text).not.toContain(payer);
  expect(till.logged()).not.toContain('244123456');
});
