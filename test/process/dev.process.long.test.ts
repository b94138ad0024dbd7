import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { temporaryFolder } from '../kit/folder.ts';
import { type Program, run } from '../kit/launch.ts';
import { changePorts, freePort } from './free-port.ts';
import { dialtill, startProgram } from './processes.ts';

const cli = dialtill();

/** Creates a project with free ports. Returns its folder and functions to change its files. */
async function createProject(...options: string[]) {
  const folder = temporaryFolder();
  expect(await run(cli, ['init', '--yes', ...options], folder)).toMatchObject({ code: 0 });
  const change = (name: string, from: string, to: string) => {
    const file = join(folder, name);
    const text = readFileSync(file, 'utf8');
    expect(text).toContain(from);
    writeFileSync(file, text.replace(from, to));
  };
  return { folder, change, ...(await changePorts(folder)) };
}

/** Dials, pays, and waits until the ledger has the amounts, which only a webhook has. */
async function payByWebhook(folder: string, payer: string): Promise<void> {
  const dial = ['dial', '*713*5#', '--msisdn', payer, '--input', '1,20,1', '--approve'];
  expect(await run(cli, dial, folder)).toMatchObject({ code: 0, stderr: '' });
  const find = async () => {
    const found = JSON.parse((await run(cli, ['ledger', 'find', payer, '--json'], folder)).stdout);
    const shown = await run(cli, ['ledger', 'show', found.data[0].id], folder);
    return shown.stdout;
  };
  await expect.poll(find, { timeout: 15_000, interval: 200 }).toMatch(/amounts from +webhook/);
}

test('dev serves a project with its sandbox, applies changes, and keeps the menu before a change with errors', async (context) => {
  const { folder, change } = await createProject();
  const dev = startProgram(context, 'src/cli/main.ts', ['dev'], { cwd: folder });
  await dev.waitForOutput(/Stop with ctrl-c/);
  const dial = (...args: string[]) => run(cli, ['dial', '*713*5#', '--msisdn', ...args], folder);
  const paid = await dial('0244123456', '--input', '1,20,1', '--approve');
  expect({ err: paid.stderr, code: paid.code }).toEqual({ err: '', code: 0 });

  const triggered = await run(
    cli,
    ['trigger', 'payment.not_paid', '--reason', 'insufficient_funds', '--json'],
    folder,
  );
  expect({ err: triggered.stderr, code: triggered.code }).toEqual({ err: '', code: 0 });
  const [opened, ended] = JSON.parse(triggered.stdout).events;
  expect([opened.type, ended.type]).toEqual(['payment.opened', 'payment.not_paid']);
  expect(ended.data).toMatchObject({ status: 'not_paid', reason: 'insufficient_funds' });

  change('menu.yaml', 'en: Pay a bill', 'en: Pay an invoice');
  await dev.waitForOutput(/reloaded menu\.yaml/);
  expect((await dial('0201234567', '--input', '1')).stdout).toContain('Pay an invoice');

  change('menu.yaml', 'start: welcome', 'start: nowhere');
  await dev.waitForOutput(/The gateway keeps the configuration before/);
  expect(dev.stderr()).toMatch(/menu\.yaml:\d+:\d+ start: /);
  expect(await run(cli, ['health'], folder)).toMatchObject({ code: 0 });
  change('menu.yaml', 'start: nowhere', 'start: welcome');
  await dev.waitForOutput(/reloaded[\s\S]*reloaded menu\.yaml/);
  const menu = readFileSync(join(folder, 'menu.yaml'), 'utf8');
  writeFileSync(join(folder, 'menu.yaml'), '- a list\n');
  await dev.waitForOutput(/menu\.yaml:1:1: expected a map, found a list/);
  const refused = await run(cli, ['reload'], folder);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('found a list') });
  writeFileSync(join(folder, 'menu.yaml'), menu);
  await dev.waitForOutput(/reloaded[\s\S]*reloaded[\s\S]*reloaded menu\.yaml/);
  expect(await run(cli, ['reload'], folder)).toMatchObject({ code: 0, stdout: 'nothing has changed\n' });
  expect((await dial('0271234567', '--input', '1')).stdout).toContain('Pay an invoice');
  expect(await dev.end('SIGTERM')).toEqual({ code: 0, signal: null });
});

test('dev outlives a menu program that throws while it is read, and applies its correction', async (context) => {
  const { folder, change } = await createProject();
  change('dialtill.yaml', 'menu: menu.yaml', 'menu: menu.mjs');
  const text = JSON.stringify(parse(readFileSync(join(folder, 'menu.yaml'), 'utf8')));
  const good = `export default ${text};\n`;
  const write = (program: string) => writeFileSync(join(folder, 'menu.mjs'), program);
  write(good);
  const dev = startProgram(context, 'src/cli/main.ts', ['dev'], { cwd: folder });
  await dev.waitForOutput(/Stop with ctrl-c/);
  write("export default { get screens() { throw new Error('no prices'); } };\n");
  await dev.waitForOutput(/The gateway keeps the configuration before/);
  expect(dev.stderr()).toMatch(/menu\.mjs:1: .*no prices/);
  write(good.replace('Pay a bill', 'Pay an invoice'));
  await dev.waitForOutput(/reloaded menu\.mjs/);
  expect(await dev.end('SIGTERM')).toEqual({ code: 0, signal: null });
});

test('a port has one place: webhooks arrive and commands find the gateway after every way to change it', async (context) => {
  const { folder, change, port } = await createProject();
  const start = async (args: string[], env: Record<string, string> = {}): Promise<Program> => {
    const dev = startProgram(context, 'src/cli/main.ts', ['dev', ...args], { cwd: folder, env });
    await dev.waitForOutput(/Stop with ctrl-c/);
    return dev;
  };
  const next = [await freePort(), await freePort(), await freePort(), await freePort()].map(String);
  const [inFile = '', byVariable = '', byOption = '', service = ''] = next;

  const first = await start([]);
  change('dialtill.yaml', `port: ${port}`, `port: ${inFile}`);
  await first.waitForOutput(/reloaded dialtill\.yaml/);
  await payByWebhook(folder, '0244000001');
  await first.end('SIGTERM');

  const second = await start([], { DIALTILL_PORT: byVariable, DIALTILL_SERVICE_PORT: service });
  expect(second.stdout()).toContain(`http://127.0.0.1:${byVariable}/phone`);
  await payByWebhook(folder, '0244000002');
  await second.end('SIGTERM');

  const third = await start(['--port', byOption], { DIALTILL_PORT: byVariable });
  await payByWebhook(folder, '0244000003');
  const health = await run(cli, ['health', '--json'], folder);
  expect(health).toMatchObject({ code: 0 });
  expect((await run(cli, ['channels'], folder)).stdout).toContain(`http://127.0.0.1:${byOption}/ussd/`);
  const prompts = await run(cli, ['prompts', '--msisdn', '0244000003', '--json'], folder);
  expect(prompts).toMatchObject({ code: 0, stderr: '' });
  await third.end('SIGTERM');
});

test('webhooks arrive at the port that the system has chosen', async (context) => {
  const { folder, change } = await createProject();
  change('dialtill.yaml', 'phone: {}', 'phone: { publicUrl: http://127.0.0.1:8080 }');
  change('dialtill.yaml', '# publicUrl: https://pay.example.com', 'publicUrl: http://127.0.0.1:8080');
  const start = (...args: string[]) => startProgram(context, 'src/cli/main.ts', args, { cwd: folder });
  const dev = start('dev', '--port', '0');
  await dev.waitForOutput(/Stop with ctrl-c/);
  await payByWebhook(folder, '0244000001');
  await dev.end('SIGTERM');
  const sandbox = start('service', 'start');
  await sandbox.waitForOutput(/Stop with ctrl-c/);
  const gateway = start('start', '--port', '0');
  await gateway.waitForOutput(/the gateway is running/);
  await payByWebhook(folder, '0244000002');
});

test('two processes on other ports than the file find each other, whichever starts first', async (context) => {
  const { folder } = await createProject();
  const [port, later, service] = [await freePort(), await freePort(), await freePort()].map(String);
  const start = (...args: string[]) => startProgram(context, 'src/cli/main.ts', args, { cwd: folder });
  const gateway = start('start', '--port', `${port}`, '--service-port', `${service}`);
  await gateway.waitForOutput(/the gateway is running/);
  const sandbox = start('service', 'start', '--port', `${service}`);
  await sandbox.waitForOutput(/Stop with ctrl-c/);
  expect(sandbox.stdout()).toContain(`at http://127.0.0.1:${port}. Start it`);
  expect(sandbox.stdout()).toContain(`npx dialtill start --service-port ${service}`);
  await payByWebhook(folder, '0244000001');
  await gateway.end('SIGTERM');
  const again = start('start', '--port', `${later}`, '--service-port', `${service}`);
  await again.waitForOutput(/the gateway is running/);
  await payByWebhook(folder, '0244000002');
});

test('dev names the options of a port that is in use', async () => {
  const { folder, port, servicePort } = await createProject();
  const blocked = async (busy: number) => {
    const server = createServer().listen(busy, '127.0.0.1');
    await once(server, 'listening');
    const { stderr, code } = await run(cli, ['dev'], folder);
    server.close();
    return { stderr, code };
  };
  expect(await blocked(servicePort)).toEqual({
    code: 1,
    stderr: expect.stringMatching(
      `^cannot listen on 127\\.0\\.0\\.1:${servicePort}: .*Choose another port with --service-port, DIALTILL_SERVICE_PORT or service\\.url of dialtill\\.yaml\\.\n$`,
    ),
  });
  expect(await blocked(port)).toEqual({
    code: 1,
    stderr: expect.stringMatching(
      `cannot listen on 127\\.0\\.0\\.1:${port}: .*Choose another port with --port, DIALTILL_PORT or listen\\.port\\.`,
    ),
  });
});

test('dev needs a project with a sandbox', async () => {
  const folder = temporaryFolder();
  expect(await run(cli, ['dev'], folder)).toMatchObject({
    code: 1,
    stderr: 'no dialtill.yaml here. Create a project: npx dialtill init\n',
  });
  await run(cli, ['init', '--yes', '--service', 'https://payments.example.com'], folder);
  writeFileSync(
    join(folder, '.env'),
    readFileSync(join(folder, '.env'), 'utf8')
      .replace('MERCHANT_KEY=', 'MERCHANT_KEY=sk_test_0123456789')
      .replace('WEBHOOK_SECRET=', `WEBHOOK_SECRET=${'x'.repeat(30)}`),
  );
  const { stderr, code } = await run(cli, ['dev'], folder);
  expect(code).toBe(1);
  expect(stderr).toContain('expected environment test and a sandbox on this machine');
});
