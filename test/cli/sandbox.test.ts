import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { serveSandbox } from '../../src/cli/service/sandbox.ts';
import { systemClock } from '../../src/shared/clock.ts';
import type { CommandResult } from '../kit/command.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { createSilentLog } from '../kit/log.ts';
import { corruptTable } from '../kit/with-database.ts';
import { startProgram } from '../process/processes.ts';
import { run } from './support.ts';

/** Runs `service start` in a folder. Returns its greeting, its address and `stop`. */
async function start(folder: string, env = {}) {
  let end: (signal: string) => void = () => {};
  const ended = new Promise<string>((resolve) => {
    end = resolve;
  });
  let finished: Promise<CommandResult> | undefined;
  const greeting = await new Promise<string>((resolve, reject) => {
    const args = ['start', '--data', folder, '--port', '0'];
    finished = run(args, { env: { ...env, DIALTILL_LOG: 'silent' }, ended, onOutput: resolve });
    finished.then(({ err, code }) => code !== 0 && reject(new Error(err)), reject);
  });
  const stop = async () => {
    end('SIGTERM');
    await finished;
  };
  onTestFinished(stop);
  const url = /address +(\S+)/.exec(greeting)?.[1] ?? '';
  return { greeting, url, stop };
}

const inFolder = (folder: string) => ({ env: { DIALTILL_DATA: folder } });

test('commands in the same folder find the sandbox, and a key from them creates a session', async () => {
  const folder = temporaryFolder();
  const { url, greeting } = await start(folder);
  expect(greeting).toContain(`${url}/docs`);
  expect(greeting).toContain(`npx dialtill service keys create --data ${folder}`);
  const made = await run(['merchants', 'create', 'Abena Stores', '--json'], inFolder(folder));
  const { id } = JSON.parse(made.out);
  await run(['merchants', 'approve', id], inFolder(folder));
  const key = (await run(['keys', 'create', '--quiet', '--data', folder])).out.trim();
  const created = await fetch(`${url}/v1/payments/sessions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': 'order-7',
    },
    body: JSON.stringify({
      mode: 'offline',
      msisdn: '233244123456',
      amount_minor: 2_000,
      network: 'mtn',
      reference: 'INV-7',
    }),
  });
  expect(created.status).toBe(201);
});

test('the printed commands name the folder of DIALTILL_DATA', async () => {
  const folder = temporaryFolder();
  let end: (signal: string) => void = () => {};
  const ended = new Promise<string>((resolve) => {
    end = resolve;
  });
  const env = { DIALTILL_DATA: folder, DIALTILL_LOG: 'silent' };
  const running = run(['start', '--port', '0'], { env, ended, onOutput: () => end('SIGTERM') });
  expect((await running).out).toContain(`npx dialtill service clock advance 10m --data ${folder}\n`);
});

test('a second start continues with the same token, merchants and time', async () => {
  const folder = temporaryFolder();
  const first = await start(folder);
  await run(['merchants', 'create', 'Abena Stores'], inFolder(folder));
  await run(['clock', 'advance', '3d'], inFolder(folder));
  const { adminToken } = JSON.parse(readFileSync(join(folder, 'sandbox.json'), 'utf8'));
  await first.stop();
  await start(folder);
  const { data: merchants } = JSON.parse((await run(['merchants', '--json'], inFolder(folder))).out);
  expect(merchants).toHaveLength(1);
  const { now } = JSON.parse((await run(['clock', '--json'], inFolder(folder))).out);
  expect(Date.parse(now) - systemClock().now()).toBeGreaterThan(3 * 86_400_000 - 60_000);
  expect(JSON.parse(readFileSync(join(folder, 'sandbox.json'), 'utf8')).adminToken).toBe(adminToken);
});

test('advancing the clock does not change the time of the start', async () => {
  const folder = temporaryFolder();
  const memory = () => JSON.parse(readFileSync(join(folder, 'sandbox.json'), 'utf8'));
  const before = systemClock().now();
  const first = await start(folder);
  const { startedAt } = memory();
  expect(startedAt).toBeGreaterThanOrEqual(before);
  await run(['clock', 'advance', '3d'], inFolder(folder));
  expect(memory()).toMatchObject({ startedAt, advancedMs: 3 * 86_400_000 });
  await first.stop();
  await start(folder);
  expect(memory().startedAt).toBeGreaterThan(startedAt);
  expect(memory().startedAt).toBeLessThan(before + 86_400_000);
});

test('only the owner can read the files of a sandbox', async () => {
  const folder = join(temporaryFolder(), 'new');
  await start(folder);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const file of ['sandbox.json', 'sandbox.db'])
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
});

test('an admin token from the environment is used and not stored', async () => {
  const folder = temporaryFolder();
  const env = { DIALTILL_ADMIN_TOKEN: 'a-token-out-of-the-environment' };
  await start(folder, env);
  expect(readFileSync(join(folder, 'sandbox.json'), 'utf8')).not.toContain(env.DIALTILL_ADMIN_TOKEN);
  expect((await run(['merchants', '--data', folder], { env })).code).toBe(0);
  const { code, err } = await run(['merchants', '--data', folder]);
  expect(code).toBe(1);
  expect(err).toContain('no admin token for the service at');
});

test('two sandboxes cannot share a folder or a port', async () => {
  const folder = temporaryFolder();
  const { url } = await start(folder);
  const twice = await run(['start', '--data', folder, '--port', '0'], { ended: Promise.resolve('') });
  expect(twice).toMatchObject({
    code: 1,
    err: expect.stringContaining('in use by another dialtill process'),
  });
  const taken = ['start', '--data', temporaryFolder(), '--port', new URL(url).port];
  const other = await run(taken, { ended: Promise.resolve('') });
  expect(other).toMatchObject({ code: 1, err: expect.stringContaining('Choose another port with --port') });
});

test('a sandbox rejects live keys and short admin tokens', async () => {
  const folder = temporaryFolder();
  await start(folder);
  await run(['merchants', 'create', 'Abena Stores'], inFolder(folder));
  const live = await run(['keys', 'create', '--live'], inFolder(folder));
  expect(live).toMatchObject({ code: 1, err: expect.stringContaining('live_mode_off') });
  const deps = { clock: systemClock(), log: createSilentLog() };
  const options = { folder: temporaryFolder(), host: '127.0.0.1', port: 0, adminToken: 'short' };
  await expect(serveSandbox(options, deps)).rejects.toThrow(/at least 16 characters/);
});

test('a sandbox whose database has failed exits with 1, so that its supervisor restarts it', async () => {
  const folder = temporaryFolder();
  const first = await start(folder);
  await run(['merchants', 'create', 'Abena Stores'], inFolder(folder));
  await first.stop();
  corruptTable(join(folder, 'sandbox.db'), 'merchant');

  const args = ['service', 'start', '--data', folder, '--port', '0'];
  const sandbox = startProgram({ onTestFinished }, 'src/cli/main.ts', args);
  await sandbox.waitForOutput(/Stop with ctrl-c|the database has failed/);
  await run(['merchants', 'create', 'Kofi Stores'], inFolder(folder));
  expect((await sandbox.ended).code).toBe(1);
  expect(`${sandbox.stdout()}${sandbox.stderr()}`).toContain('the database has failed');
});
