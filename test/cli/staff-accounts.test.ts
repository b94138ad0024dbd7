import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { configurationActor, createConfigurationProof } from '../../src/gateway/staff/caller.ts';
import { createConsoleTill, setUp } from '../kit/console.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { staffActions } from '../kit/staff.ts';
import { runStaff } from '../kit/staff-command.ts';
import type { Till } from '../kit/till.ts';

/** Writes the configuration of a gateway as its commands read it. */
function configOf(till: Till, secretsKey = till.config.console?.secretsKey ?? ''): string {
  const file = join(temporaryFolder(), 'dialtill.yaml');
  const console = { publicUrl: 'https://pay.example', secretsKey };
  writeFileSync(file, JSON.stringify({ listen: { host: '127.0.0.1', port: 8080 }, console }));
  return file;
}

/** Runs a command of a user who has the configuration and has not signed in. */
function run(till: Till, config: string, ...args: string[]) {
  return runStaff(till, [...args, '--config', config], { env: { HOME: temporaryFolder() } });
}

test('whoever has the configuration adds the first account of a fresh ledger, and it is in the audit', async () => {
  const till = await createConsoleTill();
  const config = configOf(till);
  const added = await run(till, config, 'add', 'kwame', '--role', 'lead');
  const [, code = ''] = /^account {2}kwame {2}lead\ncode {5}([A-Z2-7-]{19})\n/.exec(added.out) ?? [];
  expect(await staffActions(till)).toMatchObject([
    {
      actor: configurationActor,
      action: 'add_account',
      result: 'done',
      detail: { name: 'kwame', role: 'lead' },
    },
  ]);
  const browser = await (await setUp(till, 'kwame', code)).signIn();
  expect((await browser.get('/me')).status).toBe(200);
});

test('accounts are listed, disabled, enabled and reset by commands', async () => {
  const till = await createConsoleTill();
  const config = configOf(till);
  expect((await run(till, config, 'list')).out).toBe('no accounts\n');
  const { code } = JSON.parse((await run(till, config, 'add', 'kwame', '--role', 'agent', '--json')).out);
  const kwame = await setUp(till, 'kwame', code);
  const browser = await kwame.signIn();
  expect((await run(till, config, 'list')).out).toMatch(/kwame {2}agent {2}- +active/);
  expect((await run(till, config, 'disable', 'kwame')).out).toBe('disabled kwame\n');
  expect((await browser.get('/me')).location).toBe('/console/sign-in?ended=1');
  expect((await run(till, config, 'enable', 'kwame')).out).toBe('enabled kwame\n');
  const reset = JSON.parse((await run(till, config, 'reset', 'kwame', '--json')).out);
  expect(reset).toMatchObject({ account: { name: 'kwame', role: 'agent', state: 'invited' } });
  expect((await run(till, config, 'role', 'kwame', '--role', 'lead')).out).toBe('kwame is lead\n');
  await till.clock.advance(3_600_000);
  expect((await run(till, config, 'list')).out).toMatch(/kwame {2}lead {2}- +invited, code ended/);
  expect((await run(till, config, 'reset', 'unknown')).err).toContain('no account unknown');
  expect((await run(till, config, 'add', 'kwame', '--role', 'agent')).err).toContain(
    'there is an account kwame',
  );
  expect((await run(till, config, 'add', 'esi', '--role', 'cook')).code).toBe(2);
});

test.each([
  [
    'another key',
    (till: Till) => configOf(till, Buffer.alloc(32, 1).toString('base64')),
    'another console.secretsKey',
  ],
  [
    'no key',
    (till: Till) => configOf(till, ''),
    'without a person, this needs console.publicUrl and console.secretsKey',
  ],
])('a configuration with %s adds no account, and the message says what to do', async (_, config, message) => {
  const till = await createConsoleTill();
  const ran = await run(till, config(till), 'add', 'kwame', '--role', 'lead');
  expect([ran.code, ran.err]).toEqual([1, expect.stringContaining(message)]);
  expect(await staffActions(till)).toEqual([]);
});

test('a proof of the configuration is for one request of the last five minutes, and only for accounts and a reload', async () => {
  const till = await createConsoleTill();
  const key = till.config.console?.secretsKey ?? '';
  const body = JSON.stringify({ name: 'kwame', role: 'lead' });
  const proven = { method: 'POST', path: '/staff/v1/accounts', body };
  const send = async (authorization: string, path = proven.path, sent = body) => {
    const headers = { authorization, 'content-type': 'application/json' };
    return (await till.gateway().app.request(path, { method: 'POST', headers, body: sent })).status;
  };
  const now = till.clock.now();
  const proof = createConfigurationProof(key, proven, now);
  expect(await send(proof, proven.path, body.replace('kwame', 'yaw'))).toBe(401);
  expect(await send(proof, '/staff/v1/reload')).toBe(401);
  expect(await send(createConfigurationProof(key, proven, now - 6 * 60_000))).toBe(401);
  expect(await send(createConfigurationProof(key, proven, now + 6 * 60_000))).toBe(401);
  expect(await send(proof.replace(`t=${now}`, `t=${now + 1}`))).toBe(401);
  const note = { ...proven, path: '/staff/v1/blocks' };
  expect(await send(createConfigurationProof(key, note, now), note.path)).toBe(403);
  expect(await send(proof)).toBe(200);
});

test('a proof of the configuration changes something once, also in another spelling and after a restart; a command proves each request anew', async () => {
  const till = await createConsoleTill();
  const key = till.config.console?.secretsKey ?? '';
  const proven = { method: 'POST', path: '/staff/v1/accounts/kwame/reset', body: '{}' };
  const proof = createConfigurationProof(key, proven, till.clock.now());
  const send = async (authorization: string) => {
    const headers = { authorization, 'content-type': 'application/json' };
    const { method, path, body } = proven;
    return (await till.gateway().app.request(path, { method, headers, body })).status;
  };
  const config = configOf(till);
  await run(till, config, 'add', 'kwame', '--role', 'lead');
  expect((await Promise.all([send(proof), send(proof)])).sort()).toEqual([200, 409]);
  const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const spelled = `${proof.slice(0, -1)}${last[last.indexOf(proof.at(-1) ?? '') + 1]}`;
  expect(await send(spelled)).toBe(409);
  expect(await send(proof.replace('t=', 't=0'))).toBe(409);
  await till.clock.advance(200_000);
  expect(await send(proof)).toBe(409);
  await till.restart();
  expect(await send(proof)).toBe(409);
  for (let n = 0; n < 2; n++) {
    await till.clock.advance(1);
    expect((await run(till, config, 'reset', 'kwame')).code).toBe(0);
  }
  const resets = (await staffActions(till)).filter(({ action }) => action === 'reset_account');
  expect(resets).toHaveLength(3);
});

test('when as many proofs are kept as can be, none is accepted, and reads continue', async () => {
  const till = await createConsoleTill();
  await till.write([
    {
      sql: `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
        INSERT INTO merchant_request (key_id, idempotency_key, digest, answer, at) SELECT ?, i, '', null, ? FROM n`,
      args: [configurationActor, till.clock.now()],
    },
  ]);
  const config = configOf(till);
  const ran = await run(till, config, 'add', 'kwame', '--role', 'lead');
  expect([ran.code, ran.err]).toEqual([1, expect.stringContaining('too_many_actions')]);
  expect((await run(till, config, 'list')).out).toBe('no accounts\n');
});

test('whoever has the configuration connects a system of a merchant, and decides nothing about payments', async () => {
  const till = await createConsoleTill();
  const key = till.config.console?.secretsKey ?? '';
  const ask = (method: string, path: string, body = '') =>
    till.gateway().app.request(path, {
      method,
      headers: {
        'content-type': 'application/json',
        authorization: createConfigurationProof(key, { method, path, body }, till.clock.now()),
      },
      ...(body && { body }),
    });
  const newKey = JSON.stringify({ merchantId: till.config.merchants[0]?.id, scopes: ['payments:read'] });
  expect((await ask('POST', '/staff/v1/merchant-keys', newKey)).status).toBe(200);
  // Allowed, and refused by this gateway only because it has no notifications.
  expect((await ask('GET', '/staff/v1/endpoints')).status).not.toBe(403);
  expect((await ask('GET', '/staff/v1/reviews')).status).toBe(403);
});
