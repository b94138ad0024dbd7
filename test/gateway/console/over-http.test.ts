import { expect, test } from 'vitest';
import { createAccount, createConsoleTill, password } from '../../kit/console.ts';
import { serve } from '../../kit/local-server.ts';

test('forms arrive over a real connection as they do in the process', async () => {
  const till = await createConsoleTill();
  await till.pay('0244123456');
  const kwame = await createAccount(till, 'kwame', 'agent');
  const { app, access } = till.gateway();
  const served = await serve({ fetch: app.fetch, access });
  const post = (path: string, fields: Record<string, string>, cookie = '') =>
    fetch(`${served.url}/console${path}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie, origin: 'https://pay.example' },
      body: new URLSearchParams(fields),
    });
  const signedIn = await post('/sign-in', { name: 'kwame', password, code: await kwame.code() });
  expect(signedIn.status).toBe(303);
  const [cookie = ''] = (signedIn.headers.get('set-cookie') ?? '').split(';');
  const found = await post('/search', { q: '0244123456' }, cookie);
  const path = found.headers.get('location');
  const page = path === null ? found : await fetch(`${served.url}${path}`, { headers: { cookie } });
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('kwame');
});
