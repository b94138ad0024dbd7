import { expect, test } from 'vitest';
import { createConsoleTill } from '../../kit/console.ts';
import { staffActions } from '../../kit/staff.ts';

/*
 * Everybody who reaches the demo signs in without a password of their own. So a page of another site, whose name resolves to this machine
 * (DNS rebinding), must not reach it by the browser of somebody here.
 */

const open = { name: 'ama', role: 'lead', commands: { password: 'demo', code: '000000' } } as const;

async function createDemo(openAccounts: readonly (typeof open)[] = [open]) {
  const till = await createConsoleTill({
    configure(config) {
      if (config.console) config.console.publicUrl = 'http://127.0.0.1:8080';
    },
    overrides: () => ({ openAccounts }),
  });
  const send = async (path: string, headers: Record<string, string>, body?: string) => {
    const init = { headers, ...(body !== undefined && { method: 'POST', body }) };
    return (await till.gateway().app.request(path, init)).status;
  };
  const signIn = (headers: Record<string, string>) =>
    send('/console/sign-in', { 'content-type': 'application/x-www-form-urlencoded', ...headers }, 'open=ama');
  const signInForCommands = (headers: Record<string, string>) =>
    send(
      '/staff/v1/sign-in',
      { 'content-type': 'application/json', ...headers },
      JSON.stringify({ name: 'ama', ...open.commands }),
    );
  return { till, send, signIn, signInForCommands };
}

test.each(['evil.example:8080', '127.0.0.1.evil.example:8080', 'localhost.', '192.0.2.1:8080'])(
  'the console and the staff API of the demo have no page for the host %s',
  async (host) => {
    const { till, send, signIn, signInForCommands } = await createDemo();
    const own = { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' };
    for (const path of ['/console', '/console/', '/console/sign-in', '/staff/v1/reviews'])
      expect(await send(path, own), path).toBe(421);
    expect([await signIn(own), await signInForCommands(own)]).toEqual([421, 421]);
    expect(await staffActions(till)).toEqual([]);
  },
);

test.each([{ origin: 'http://evil.example' }, { 'sec-fetch-site': 'cross-site' }, { origin: 'null' }])(
  'the demo signs nobody in for a page of another site: %j',
  async (headers) => {
    const { till, signIn, signInForCommands } = await createDemo();
    const there = { host: '127.0.0.1:8080', ...headers };
    expect([await signIn(there), await signInForCommands(there)]).toEqual([403, 403]);
    expect(await staffActions(till)).toEqual([]);
  },
);

test('a browser and the commands on this machine sign in, by each name of it', async () => {
  const { send, signIn, signInForCommands } = await createDemo();
  for (const host of ['127.0.0.1:8080', 'localhost:8080', '[::1]:8080']) {
    expect(await send('/console/sign-in', { host })).toBe(200);
    expect(await signIn({ host, 'sec-fetch-site': 'same-origin' })).toBe(303);
    expect(await signInForCommands({ host })).toBe(200);
  }
});

test('a gateway without open accounts is reached by the name that its proxy sends', async () => {
  const { send } = await createDemo([]);
  expect(await send('/console/sign-in', { host: 'gateway.internal' })).toBe(200);
});
