import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { signInFile } from '../../src/cli/env-file.ts';
import { findGateway } from '../../src/cli/staff/find-gateway.ts';
import { createStaffClient } from '../../src/cli/staff/staff-client.ts';
import { accountView, accountWithCode } from '../../src/contract/staff/account.ts';
import { type AccountHolder, createAccount, createConsoleTill, password } from '../kit/console.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { basic, staffActions } from '../kit/staff.ts';
import { fetchOf, gatewayUrl, runStaff } from '../kit/staff-command.ts';
import type { Till } from '../kit/till.ts';

/** A till, an admin of it, and a user of the machine who has not signed in. */
async function start() {
  const till = await createConsoleTill();
  const kwame = await createAccount(till, 'kwame', 'admin');
  return { till, kwame, env: { HOME: temporaryFolder() } };
}

type User = { HOME: string };

async function signIn(till: Till, { name, code }: AccountHolder, env: User, ...flags: string[]) {
  const args = ['sign-in', name, '--url', gatewayUrl, ...flags];
  return runStaff(till, args, { env, input: [password, await code()] });
}

/** The client of the person who has signed in. Without a terminal, nothing is asked again. */
function clientOf(till: Till, env: User) {
  const access = findGateway({ url: gatewayUrl }, env);
  return createStaffClient({ fetch: fetchOf(till), clock: till.clock }, access);
}

const list = (till: Till, env: User) => runStaff(till, ['list', '--url', gatewayUrl], { env });

test('a sign-in keeps a token that only the user can read, and the commands act as the person', async () => {
  const { till, kwame, env } = await start();
  const signedIn = await signIn(till, kwame, env);
  expect(signedIn).toMatchObject({ code: 0, err: '' });
  expect(signedIn.out).toContain(`signed in as kwame (admin) at ${gatewayUrl}, until`);
  expect(statSync(signInFile(env)).mode & 0o777).toBe(0o600);
  expect((await list(till, env)).out).toContain('kwame');
  expect((await staffActions(till)).at(-1)).toMatchObject({
    actor: 'kwame',
    action: 'sign_in',
    detail: { command: true },
  });
  for (const text of [till.logged(), signedIn.out]) expect(text).not.toMatch(/dct_|correct horse/);
});

test('what needs the password is done within five minutes of the sign-in, and then needs another one', async () => {
  const { till, kwame, env } = await start();
  await signIn(till, kwame, env);
  const client = clientOf(till, env);
  await client.post('/accounts', accountWithCode, { name: 'yaw', role: 'agent' });
  await till.clock.advance(5 * 60_000);
  await expect(client.post('/accounts/yaw/disable', accountView)).rejects.toThrow('sign in again');
  const asking = createStaffClient(
    {
      ...{ fetch: fetchOf(till), clock: till.clock },
      askAgain: async () => ({ password, code: await kwame.code() }),
    },
    findGateway({ url: gatewayUrl }, env),
  );
  expect(await asking.post('/accounts/yaw/disable', accountView)).toMatchObject({ state: 'disabled' });
});

test('a sign-out ends the token and removes it, and a new sign-in ends the one before', async () => {
  const { till, kwame, env } = await start();
  await signIn(till, kwame, env);
  const first = clientOf(till, env);
  await signIn(till, kwame, env);
  await expect(first.get('/accounts', accountView)).rejects.toThrow('has ended');
  const second = clientOf(till, env);
  expect((await runStaff(till, ['sign-out', '--url', gatewayUrl], { env })).out).toContain(
    'signed out kwame',
  );
  await expect(second.get('/accounts', accountView)).rejects.toThrow('has ended');
  expect(readFileSync(signInFile(env), 'utf8')).not.toContain('dct_');
  const again = await runStaff(till, ['sign-out', '--url', gatewayUrl], { env });
  expect([again.code, again.err]).toEqual([1, expect.stringContaining('nobody has signed in')]);
});

test('a sign-in at another gateway that had the address does not stop the commands of a new project', async () => {
  const { till: demo, kwame, env } = await start();
  await signIn(demo, kwame, env);
  const till = await createConsoleTill();
  const project = (secretsKey: string | undefined) => {
    const file = join(temporaryFolder(), 'dialtill.yaml');
    writeFileSync(file, `listen: { port: 8080 }\nconsole: { secretsKey: ${JSON.stringify(secretsKey)} }\n`);
    return (...args: string[]) => runStaff(till, [...args, '--config', file], { env });
  };
  const named = /has ended.* "dialtill staff sign-in".* "dialtill staff sign-out"/;
  // Neither an address that need not be the project's, nor a key that the gateway rejects, replaces the sign-in.
  expect((await list(till, env)).err).toMatch(named);
  expect((await project(Buffer.alloc(32, 1).toString('base64'))('list')).err).toMatch(named);
  const run = project(till.config.console?.secretsKey);
  const added = await run('add', 'ama', '--role', 'admin');
  expect(added).toMatchObject({ code: 0, out: expect.stringContaining('ama') });
  expect(added.err).toMatch(
    /^the sign-in of kwame at .* has ended and is removed: .*console\.secretsKey.*\n$/,
  );
  expect(await run('list')).toMatchObject({ code: 0, err: '' });
  expect(readFileSync(signInFile(env), 'utf8')).not.toContain('dct_');
});

test('with --print, the token is printed for the shell and no file is written', async () => {
  const { till, kwame, env } = await start();
  const { out } = await signIn(till, kwame, env, '--print');
  const [, secret = ''] = /^export DIALTILL_STAFF=kwame:(dct_[\w-]+)\n$/.exec(out) ?? [];
  const headers = { authorization: basic('kwame', secret) };
  expect((await till.gateway().app.request('/staff/v1/accounts', { headers })).status).toBe(200);
  expect(() => statSync(signInFile(env))).toThrow('ENOENT');
});

test('wrong sign-ins change nothing, are delayed, and say why', async () => {
  const { till, kwame, env } = await start();
  const wrong = () =>
    runStaff(till, ['sign-in', 'kwame', '--url', gatewayUrl], { env, input: ['wrong', '000000'] });
  for (let tries = 0; tries < 3; tries++)
    expect(await wrong()).toMatchObject({ code: 1, err: expect.stringContaining('is wrong') });
  expect((await wrong()).err).toContain('try again after 1 seconds');
  await till.clock.advance(2_000);
  expect((await signIn(till, kwame, env)).code).toBe(0);
  const cut = await runStaff(till, ['sign-in', 'kwame', '--url', gatewayUrl], {
    env,
    input: ['only one line'],
  });
  expect([cut.code, cut.err]).toEqual([1, expect.stringContaining('not signed in')]);
});

test('the password never leaves for an address that is neither https nor this machine', async () => {
  const { till, env } = await start();
  const ran = await runStaff(till, ['sign-in', 'kwame', '--url', 'http://pay.example:8080'], {
    env,
    input: [password, '000000'],
  });
  expect([ran.code, ran.err]).toEqual([1, expect.stringContaining('unencrypted')]);
});

test('people of a merchant cannot sign in on the command line, and nobody has more than five tokens', async () => {
  const { till, kwame, env } = await start();
  const esi = await createAccount(till, 'esi', 'merchant', 'demo-shop');
  expect((await signIn(till, esi, env)).err).toContain('people of a merchant use the console');
  for (let count = 0; count < 5; count++)
    expect((await signIn(till, kwame, { HOME: temporaryFolder() })).code).toBe(0);
  expect((await signIn(till, kwame, env)).err).toContain('as many tokens as a person can have');
});

test('people of the demo sign in with the role that its greeting prints, whatever the ledger has', async () => {
  const commands = { password: 'demo', code: '000000' };
  const till = await createConsoleTill({
    overrides: () => ({ openAccounts: [{ name: 'ama', role: 'lead', commands }] }),
  });
  await createAccount(till, 'ama', 'admin');
  const env = { HOME: temporaryFolder() };
  const signedIn = await runStaff(till, ['sign-in', 'ama', '--url', gatewayUrl], {
    env,
    input: ['demo', '000000'],
  });
  expect(signedIn.out).toContain('signed in as ama (lead)');
  expect((await list(till, env)).err).toContain('the role lead may not do this');
  expect(await staffActions(till)).toContainEqual(
    expect.objectContaining({
      action: 'change_role',
      detail: { name: 'ama', from: 'admin', to: 'lead' },
    }),
  );
});

test('people of the demo sign in with what what its greeting prints, and enter it again for what needs the password', async () => {
  const commands = { password: 'demo', code: '000000' };
  const till = await createConsoleTill({
    overrides: () => ({ openAccounts: [{ name: 'yaw', role: 'admin', commands }] }),
  });
  const env = { HOME: temporaryFolder() };
  const enter = (...input: string[]) =>
    runStaff(till, ['sign-in', 'yaw', '--url', gatewayUrl], { env, input });
  expect((await enter('demo', '111111')).err).toContain('is wrong');
  expect((await enter('wrong', '000000')).err).toContain('is wrong');
  expect((await enter('demo', '000000')).out).toContain('signed in as yaw (admin)');
  const asking = (given: typeof commands) =>
    createStaffClient(
      { ...{ fetch: fetchOf(till), clock: till.clock }, askAgain: async () => given },
      findGateway({ url: gatewayUrl }, env),
    );
  const add = (given: typeof commands) =>
    asking(given).post('/accounts', accountWithCode, { name: 'efua', role: 'agent' });
  await till.clock.advance(5 * 60_000);
  await expect(add({ ...commands, code: '111111' })).rejects.toThrow('is wrong');
  expect(await add(commands)).toMatchObject({ account: { name: 'efua' } });
});

test('a damaged file of sign-ins is kept, and the message says what to do', async () => {
  const { till, kwame, env } = await start();
  expect(await signIn(till, kwame, env)).toMatchObject({ code: 0 });
  const file = signInFile(env);
  writeFileSync(file, '{"http');
  const message = `cannot read ${file}. It has the sign-ins of this user. Remove it, and sign in again.\n`;
  expect(await list(till, env)).toMatchObject({ code: 1, err: message, out: '' });
  expect(readFileSync(file, 'utf8')).toBe('{"http');
});
