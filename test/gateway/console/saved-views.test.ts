import { expect, test } from 'vitest';
import { createAccount, createConsoleTill } from '../../kit/console.ts';
import { staffActions } from '../../kit/staff.ts';
import type { Till } from '../../kit/till.ts';

const viewActions = async (till: Till) =>
  (await staffActions(till))
    .filter(({ action }) => action.endsWith('_view'))
    .map(({ actor, action, detail }) => ({ actor, action, detail }));

test('a person saves filters under a name, opens them by a link, and removes them; each change is in the audit', async () => {
  const till = await createConsoleTill();
  await till.pay('0244123456');
  const browser = await (await createAccount(till, 'efua', 'agent')).signIn();
  const query = '?status=created&min=20';
  expect((await browser.get('/payments')).text).not.toContain('Saved views');
  const saved = await browser.post('/views', { name: 'To check', query });
  expect(saved.location).toBe(`/console/payments${query}`);
  const { text } = await browser.get('/payments');
  expect(text).toContain('href="/console/payments?status=created&amp;min=20"');
  expect(text).toContain('To check');
  const [, path = ''] = /action="\/console(\/views\/viw_\w+\/remove)"/.exec(text) ?? [];
  const other = await (await createAccount(till, 'yaw', 'lead')).signIn();
  expect((await other.get('/payments')).text).not.toContain('To check');
  expect((await other.post(path)).status).toBe(404);
  expect((await browser.get('/payments')).text).toContain('To check');
  expect((await browser.post(path)).location).toBe('/console/payments');
  expect((await browser.get('/payments')).text).not.toContain('To check');
  const view = path.split('/')[2];
  expect(await viewActions(till)).toEqual([
    { actor: 'efua', action: 'save_view', detail: { name: 'efua', view, label: 'To check', query } },
    { actor: 'efua', action: 'remove_view', detail: { name: 'efua', view } },
  ]);
});

test('a view has filters, no phone number, and a name of its own, and a person has at most twenty', async () => {
  const till = await createConsoleTill();
  const browser = await (await createAccount(till, 'efua', 'agent')).signIn();
  for (const query of ['', '?q=KA1024', '?merchant=0244123456', '?status=done', '?from=2026-02-30'])
    expect((await browser.post('/views', { name: 'x', query })).status, query).toBe(422);
  const query = '?status=paid';
  for (const name of ['', ' ', 'x'.repeat(41)])
    expect((await browser.post('/views', { name, query })).status, name).toBe(422);
  await browser.post('/views', { name: 'of 0244123456', query });
  expect((await browser.get('/payments')).text).not.toContain('244123456');
  for (let index = 1; index < 20; index++)
    expect((await browser.post('/views', { name: `view ${index}`, query })).status).toBe(303);
  const full = await browser.post('/views', { name: 'one more', query });
  expect(full.text).toContain('at most 20 saved views');
  expect((await browser.post('/views', { name: 'view 1', query })).status).toBe(422);
  expect(await viewActions(till)).toHaveLength(20);
});

test('of two views that are saved at the same moment in the last place, one is saved', async () => {
  const till = await createConsoleTill();
  const browser = await (await createAccount(till, 'efua', 'agent')).signIn();
  const save = (name: string) => browser.post('/views', { name, query: '?status=paid' });
  for (let index = 1; index < 20; index++) await save(`view ${index}`);
  const both = await Promise.all([save('left'), save('right')]);
  expect(both.map(({ status }) => status).toSorted()).toEqual([303, 422]);
  expect(await viewActions(till)).toHaveLength(20);
});

test('people of a merchant save views without the filters that they do not have', async () => {
  const till = await createConsoleTill();
  const browser = await (await createAccount(till, 'esi', 'merchant', 'demo-shop')).signIn();
  expect((await browser.post('/views', { name: 'mine', query: '?status=paid' })).status).toBe(303);
  expect((await browser.post('/views', { name: 'other', query: '?merchant=other-shop' })).status).toBe(422);
});
