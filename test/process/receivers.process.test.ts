import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { signRequest } from '../../src/shared/standard-webhook.ts';
import { snippetOf } from '../docs/snippets.ts';
import { listenLocally } from '../kit/local-server.ts';
import { freePort } from './free-port.ts';
import { startCommand } from './processes.ts';

/** The receivers of docs/notifications.md, and how to start each. */
const receivers: readonly [file: string, start: (port: number) => readonly string[]][] = [
  ['hooks.mjs', () => ['node']],
  ['hooks.py', () => ['python3']],
  ['hooks.php', (port) => ['php', '-S', `127.0.0.1:${port}`]],
];

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;

/** Anyone can sign with these: what they decode to is empty, short, or not what was meant. */
const weakSecrets = [
  '',
  'whsec_',
  'whsec_****************',
  `whsec_${Buffer.alloc(15, 7).toString('base64')}`,
  'whsec_the-secret-that-add-prints',
];

const data = { id: 'col_1', sequence: 4, short_reference: '12345674', status: 'paid', confirmed: true };
const paid = JSON.stringify({ type: 'payment.paid', timestamp: '2026-03-06T09:01:00.000Z', data });
const tested = JSON.stringify({
  type: 'endpoint.test',
  timestamp: '2026-03-06T09:01:00.000Z',
  data: { id: 'ep_1' },
});

test.each(receivers)('the documents show %s as it is tested', (file) => {
  expect(snippetOf('docs/notifications.md', file)).toBe(readFileSync(`fixtures/receivers/${file}`, 'utf8'));
});

for (const [file, start] of receivers) {
  const port = await freePort();
  const [program = '', ...options] = start(port);
  const isMissing = program !== 'node' && spawnSync(program, ['--version']).error !== undefined;

  test.skipIf(isMissing)(`${file} accepts what is signed, and rejects the rest`, async (context) => {
    const command = [program, ...options, resolve('fixtures/receivers', file)];
    const server = startCommand(context, command, { env: { HOOKS_SECRET: secret, HOOKS_PORT: `${port}` } });
    await expect.poll(() => isOpen(port), { timeout: 20_000 }).toBe(true);
    const send = async (body: string, { secrets = [secret], ageMs = 0, sent = body } = {}) => {
      const headers = signRequest(secrets, { id: 'evt_1', at: Date.now() - ageMs, body });
      const answer = await fetch(`http://127.0.0.1:${port}/hooks`, { method: 'POST', headers, body: sent });
      return { status: answer.status, text: await answer.text() };
    };
    expect(await send(paid)).toEqual({ status: 204, text: '' });
    await server.waitForOutput(/payment\.paid 12345674 paid confirmed/);
    expect(await send(tested)).toEqual({ status: 204, text: '' });
    await server.waitForOutput(/endpoint\.test/);
    // Twice, and after a rotation of the secret.
    expect(await send(paid, { secrets: [other, secret] })).toMatchObject({ status: 204 });

    const wrong = { status: 401, text: expect.stringContaining('the signature is not one of HOOKS_SECRET') };
    expect(await send(paid, { secrets: [other] })).toEqual(wrong);
    expect(await send(paid, { sent: paid.replace('col_1', 'col_2') })).toEqual(wrong);
    expect(await send(paid, { ageMs: 301_000 })).toEqual({
      status: 401,
      text: expect.stringContaining('the timestamp is too far off'),
    });
    expect(await send(paid, { ageMs: -310_000 })).toMatchObject({ status: 401 });
    const unsigned = { method: 'POST', body: paid };
    expect((await fetch(`http://127.0.0.1:${port}/hooks`, unsigned)).status).toBe(401);
    expect(await send('x'.repeat(64 * 1024 + 1))).toMatchObject({ status: 413 });
    expect(await send(paid)).toMatchObject({ status: 204 });
  });
}

const isInstalled = (program: string) => spawnSync(program, ['--version']).error === undefined;

for (const [file, program] of [
  ['hooks.mjs', 'node'],
  ['hooks.py', 'python3'],
] as const) {
  test.skipIf(!isInstalled(program))(`${file} says in one line why it does not start`, async (context) => {
    const taken = createServer();
    const { port } = await listenLocally(taken, context.onTestFinished);
    const start = (env: Record<string, string>) =>
      spawnSync(program, [`fixtures/receivers/${file}`], {
        env: { ...process.env, HOOKS_PORT: `${port}`, ...env },
        encoding: 'utf8',
      });
    for (const weak of weakSecrets) {
      expect(start({ HOOKS_SECRET: weak }), weak).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(/^HOOKS_SECRET: expected whsec_.*\. Start: .*hooks\.\w+\n$/),
      });
    }
    expect(start({ HOOKS_SECRET: secret })).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^HOOKS_PORT: .*address already in use.*\n$/i),
    });
    for (const wrong of ['abc', '70000', '-1']) {
      expect(start({ HOOKS_SECRET: secret, HOOKS_PORT: wrong }), wrong).toMatchObject({
        status: 1,
        stderr: `HOOKS_PORT: expected a port such as 3000, found ${wrong}\n`,
      });
    }
  });
}

test.skipIf(!isInstalled('php'))('hooks.php answers nothing with a weak secret', async (context) => {
  for (const weak of weakSecrets) {
    const port = await freePort();
    const command = ['php', '-S', `127.0.0.1:${port}`, resolve('fixtures/receivers/hooks.php')];
    startCommand(context, command, { env: { HOOKS_SECRET: weak } });
    await expect.poll(() => isOpen(port), { timeout: 20_000 }).toBe(true);
    const headers = signRequest([weak], { id: 'evt_1', at: Date.now(), body: paid });
    const answer = await fetch(`http://127.0.0.1:${port}/hooks`, { method: 'POST', headers, body: paid });
    expect(answer.status, weak).toBe(500);
    expect(await answer.text()).toContain('HOOKS_SECRET: expected');
  }
});

function isOpen(port: number): Promise<boolean> {
  return new Promise((answer) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => answer(true)).on('error', () => answer(false));
    socket.on('close', () => answer(false));
    setTimeout(() => socket.destroy(), 50).unref();
  });
}
