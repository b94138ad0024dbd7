import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { snippetOf } from '../docs/snippets.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { run } from '../kit/smoke.ts';
import { compiled } from './compiled.ts';
import { freePort } from './free-port.ts';
import { startProgram } from './processes.ts';

const cli = [process.execPath, compiled('src/cli/main.ts')] as const;

test('a new project starts with the secrets of .env, and its first dial is approved and recorded', async (context) => {
  const folder = temporaryFolder();
  expect(await run(cli, ['init', '--yes'], folder)).toMatchObject({ code: 0 });
  const [port, servicePort] = [await freePort(), await freePort()];
  const config = join(folder, 'dialtill.yaml');
  const text = readFileSync(config, 'utf8').replace('8080', `${port}`).replace('8090', `${servicePort}`);
  writeFileSync(config, text);
  const start = (...args: string[]) => startProgram(context, 'src/cli/main.ts', args, { cwd: folder });
  const service = start('service', 'start', '--port', `${servicePort}`);
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

/** The commands of the first section of the page for merchants' developers, each as its arguments after `npx dialtill`, and how many there are. */
function commandsOfPage() {
  const [, section = ''] = readFileSync('docs/my-system.md', 'utf8').split(/^## /m);
  const lines = [...section.matchAll(/^\$ (.+)$/gm)].map(([, line = '']) => line);
  const of = (start: string): string[] => {
    const line = lines.find((one) => one.startsWith(`npx dialtill ${start}`));
    if (line === undefined) throw new Error(`the page has no command ${start}`);
    return line.replace('npx dialtill ', '').replaceAll("'", '').split(' ');
  };
  return { count: lines.length, of };
}

test('at most ten commands lead from an empty folder to the first notification of a payment', async (context) => {
  const page = commandsOfPage();
  expect(page.count).toBeLessThanOrEqual(10);
  const folder = temporaryFolder();
  const [port, servicePort, hooksPort] = [await freePort(), await freePort(), await freePort()];
  const replaced = (text: string) =>
    text.replace('8080', `${port}`).replace('8090', `${servicePort}`).replace('3000', `${hooksPort}`);
  const follow = (command: string) => run(cli, page.of(command).map(replaced), folder);

  expect(await follow('init')).toMatchObject({ code: 0 });
  const config = join(folder, 'dialtill.yaml');
  writeFileSync(config, replaced(readFileSync(config, 'utf8')));
  const dev = startProgram(context, 'src/cli/main.ts', page.of('dev'), { cwd: folder });
  await dev.waitForOutput(/Stop with ctrl-c/);

  const added = await follow('merchant endpoints add');
  const [secret = ''] = /whsec_\S+/.exec(added.stdout) ?? [];
  const hooks = join(folder, 'hooks.mjs');
  writeFileSync(hooks, replaced(snippetOf('docs/notifications.md', 'hooks.mjs')));
  const server = startProgram(context, hooks, [], { cwd: folder, env: { HOOKS_SECRET: secret } });

  expect(await follow('dial')).toMatchObject({ code: 0 });
  await server.waitForOutput(/^payment\.opened \d{8} open\s*$/m);
  await server.waitForOutput(/^payment\.paid \d{8} paid confirmed$/m);
});
