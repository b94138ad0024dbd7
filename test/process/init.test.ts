import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
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
