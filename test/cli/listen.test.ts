import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readMerchantKey, registerListen } from '../../src/cli/commands/listen.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { systemIds } from '../../src/shared/ids.ts';
import { signRequest } from '../../src/shared/standard-webhook.ts';
import { runCommand } from '../kit/command.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { callStaff, withStaff } from '../kit/staff.ts';
import { createTill } from '../kit/till.ts';

test('listen forwards what happened since its last run, once, signed with its own secret', async () => {
  const till = await createTill({ configure: withStaff });
  const created = await callStaff(till, 'adwoa', '/merchant-keys', {
    merchantId: 'demo-shop',
    scopes: ['events:read'],
  });
  const cursor = join(till.folder, 'listen.json');
  const received: { id: string; type: string }[] = [];
  const fetchBoth: typeof fetch = async (input, init) => {
    const url = new URL(String(input));
    if (url.hostname === 'gateway.test') return till.gateway().app.request(url.pathname + url.search, init);
    const headers = new Headers(init?.headers);
    const [id = '', at = ''] = [headers.get('webhook-id') ?? '', headers.get('webhook-timestamp') ?? ''];
    const body = String(init?.body);
    const { secret } = JSON.parse(readFileSync(cursor, 'utf8'));
    const expected = signRequest([secret], { id, at: 1000 * Number(at), body });
    expect(headers.get('webhook-signature')).toBe(expected['webhook-signature']);
    received.push({ id, type: JSON.parse(body).type });
    return new Response('thanks');
  };
  const run = (...args: string[]) =>
    runCommand(
      ['listen', '--forward-to', 'http://127.0.0.1:3000/hooks', '--cursor', cursor, '--once', ...args],
      (program, { stdout }) => {
        const clock = systemClock();
        registerListen(program, {
          ...{ stdout, clock, ids: systemIds(clock), fetch: fetchBoth },
          gatewayUrl: ({ url = 'https://gateway.test' }) => url,
          env: { DIALTILL_MERCHANT_KEY: String(created.body.secret) },
          ended: () => new Promise(() => {}),
        });
      },
    );
  await till.pay('0244123456');
  expect((await run()).out).toMatch(
    /^Forwarding to http:\/\/127\.0\.0\.1:3000\/hooks, signed with whsec_\S+\n$/,
  );
  expect(received).toEqual([]);
  await till.pay('0201234567');
  expect((await run()).out).toMatch(/payment\.opened {2}\d{8} {2}HTTP 200 {2}thanks\n$/);
  expect(received.map(({ type }) => type)).toEqual(['payment.opened']);
  await run();
  expect(received).toHaveLength(1);
  writeFileSync(cursor, JSON.stringify({ ...JSON.parse(readFileSync(cursor, 'utf8')), after: '7' }));
  expect((await run()).err).toContain(`does not know the cursor of ${cursor}: remove the file`);
});

test.each([
  [401, 'the gateway does not know the key of DIALTILL_MERCHANT_KEY, or it was revoked'],
  [403, 'the key needs the scope events:read'],
])('listen explains a key that is refused with %i', async (status, message) => {
  const { err, code } = await runListen(['--url', 'https://gateway.test'], status);
  expect(code).toBe(1);
  expect(err).toContain(message);
});

test('an address without http is wrong usage', async () => {
  expect(await runListen(['--forward-to', '6123'], 200)).toMatchObject({ code: 2 });
});

function runListen(args: readonly string[], status: number) {
  const cursor = join(temporaryFolder(), 'listen.json');
  return runCommand(
    ['listen', '--forward-to', 'http://127.0.0.1:3000', '--cursor', cursor, ...args],
    (program, { stdout }) => {
      const clock = systemClock();
      registerListen(program, {
        ...{ stdout, clock, ids: systemIds(clock), fetch: async () => new Response('{}', { status }) },
        gatewayUrl: ({ url = '' }) => url,
        env: { DIALTILL_MERCHANT_KEY: 'dk_test_x' },
        ended: () => new Promise(() => {}),
      });
    },
  );
}

test('listen sends no key over a network without TLS', async () => {
  const { err } = await runCommand(
    ['listen', '--forward-to', 'http://127.0.0.1:3000', '--url', 'http://gateway.example'],
    (program, { stdout }) => {
      const clock = systemClock();
      registerListen(program, {
        ...{ stdout, clock, ids: systemIds(clock), fetch: () => Promise.reject(new Error('sent')) },
        gatewayUrl: ({ url = '' }) => url,
        env: { DIALTILL_MERCHANT_KEY: 'dk_test_x' },
        ended: () => new Promise(() => {}),
      });
    },
  );
  expect(err).toContain('the key would cross the network unencrypted');
});

test('listen needs a merchant key', () => {
  expect(() => readMerchantKey({})).toThrow('expected DIALTILL_MERCHANT_KEY in the environment');
  expect(readMerchantKey({ DIALTILL_MERCHANT_KEY: 'dk_test_x' })).toBe('dk_test_x');
});
