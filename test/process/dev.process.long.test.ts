import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../kit/folder.ts';
import { run } from '../kit/smoke.ts';
import { compiled } from './compiled.ts';
import { freePort } from './free-port.ts';
import { startProgram } from './processes.ts';

const cli = [process.execPath, compiled('src/cli/main.ts')] as const;

/** Creates a project with free ports. Returns its folder and functions to change its files. */
async function createProject() {
  const folder = temporaryFolder();
  expect(await run(cli, ['init', '--yes'], folder)).toMatchObject({ code: 0 });
  const change = (name: string, from: string, to: string) => {
    const file = join(folder, name);
    const text = readFileSync(file, 'utf8');
    expect(text).toContain(from);
    writeFileSync(file, text.replace(from, to));
  };
  change('dialtill.yaml', '8080', `${await freePort()}`);
  change('dialtill.yaml', '8090', `${await freePort()}`);
  return { folder, change };
}

test('dev serves a project with its sandbox, applies changes, and keeps the menu before a change with errors', async (context) => {
  const { folder, change } = await createProject();
  const dev = startProgram(context, 'src/cli/main.ts', ['dev'], { cwd: folder });
  await dev.waitForOutput(/Stop with ctrl-c/);
  const dial = (...args: string[]) => run(cli, ['dial', '*713*5#', '--msisdn', ...args], folder);
  const paid = await dial('0244123456', '--input', '1,20,1', '--approve');
  expect({ err: paid.stderr, code: paid.code }).toEqual({ err: '', code: 0 });

  const triggered = await run(cli, ['trigger', 'payment.not_paid', '--reason', 'no_funds', '--json'], folder);
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
  expect((await dial('0271234567', '--input', '1')).stdout).toContain('Pay an invoice');
  expect(await dev.end('SIGTERM')).toEqual({ code: 0, signal: null });
});

test('dev names the setting of a port that is in use', async (context) => {
  const { folder, change } = await createProject();
  const taken = await freePort();
  const service = startProgram(context, 'src/cli/main.ts', ['service', 'start', '--port', `${taken}`], {
    cwd: temporaryFolder(),
  });
  await service.waitForOutput(/Stop with ctrl-c/);
  const [, port = ''] =
    /url: http:\/\/127\.0\.0\.1:(\d+)/.exec(readFileSync(join(folder, 'dialtill.yaml'), 'utf8')) ?? [];
  change('dialtill.yaml', port, `${taken}`);
  const { stderr, code } = await run(cli, ['dev'], folder);
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /address already in use .*Choose another port with service\.url of .*dialtill\.yaml\.$/m,
  );
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
  expect(stderr).toContain('expected environment test and a sandbox at service.url');
});
