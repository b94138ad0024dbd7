import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../kit/folder.ts';
import { run } from '../kit/launch.ts';
import { changePorts } from './free-port.ts';
import { dialtill, startCommand, startProgram } from './processes.ts';

const cli = dialtill();

test('a new project starts with the secrets of .env, and its first dial is approved and recorded', async (context) => {
  const folder = temporaryFolder();
  expect(await run(cli, ['init', '--yes'], folder)).toMatchObject({ code: 0 });
  await changePorts(folder);
  const start = (...args: string[]) => startProgram(context, 'src/cli/main.ts', args, { cwd: folder });
  const service = start('service', 'start');
  await service.waitForOutput(/Stop with ctrl-c/);
  const gateway = start('start');
  await gateway.waitForOutput(/the gateway is running/);
  const dialled = await run(
    cli,
    ['dial', '*713*5#', '--msisdn', '0244123456', '--input', '1,20,1', '--approve'],
    folder,
  );
  expect(dialled.stderr).toBe('');
  expect(dialled.code).toBe(0);
  const found = await run(cli, ['ledger', 'find', '0244123456', '--json'], folder);
  const { data } = JSON.parse(found.stdout) as { data: { status: string }[] };
  expect(['initiated', 'paid']).toContain(data[0]?.status);
});

/** The commands of the first section of the page for merchants' developers, after the installation. */
function commandsOfPage(): string[][] {
  const [, section = ''] = readFileSync('docs/my-system.md', 'utf8').split(/^## /m);
  const lines = [...section.matchAll(/^\$ (.+)$/gm)].map(([, line = '']) => line);
  return lines.filter((line) => !/\bnpm /.test(line)).map((line) => line.replaceAll("'", '').split(' '));
}

test('four commands lead from an empty folder to the first notification of a payment', async (context) => {
  const [init = [], dev = [], hooks = [], dial = [], ...more] = commandsOfPage();
  expect(more).toEqual([]);
  const argsOf = ([npx, name, ...args]: string[]) => {
    expect([npx, name]).toEqual(['npx', 'dialtill']);
    return args;
  };
  const folder = temporaryFolder();
  expect(await run(cli, argsOf(init), folder)).toMatchObject({ code: 0 });
  await changePorts(folder);
  const running = startProgram(context, 'src/cli/main.ts', argsOf(dev), { cwd: folder });
  await running.waitForOutput(/Stop with ctrl-c/);
  expect(running.stdout()).toContain(hooks.join(' '));
  const server = startCommand(context, hooks, { cwd: folder });
  await server.waitForOutput(/waiting for notifications/);
  expect(await run(cli, argsOf(dial), folder)).toMatchObject({ code: 0 });
  await server.waitForOutput(/^payment\.opened \d{8} open\s*$/m);
  await server.waitForOutput(/^payment\.paid \d{8} paid confirmed$/m);
  await running.waitForOutput(/^notified {2}payment\.paid {2}\d{8} .* HTTP 204$/m);
  await running.waitForOutput(/^notified {2}payment\.paid confirmed {2}\d{8} .* HTTP 204$/m);
});
