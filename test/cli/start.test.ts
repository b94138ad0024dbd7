import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { shellWord } from '../../src/cli/shell.ts';
import { registerStart } from '../../src/cli/start.ts';
import type { Environment } from '../../src/config/secrets.ts';
import { temporaryFolder } from '../support/folder.ts';

/** What `dialtill start --demo` greets with. */
async function greeting(env: Environment): Promise<string> {
  const stdout = new PassThrough();
  let end: (signal: string) => void = () => {};
  const ended = new Promise<string>((resolve) => {
    end = resolve;
  });
  const program = new Command();
  const ports = { DIALTILL_PORT: '0', DIALTILL_SERVICE_PORT: '0', DIALTILL_LOG: 'silent' };
  registerStart(program, { env: { ...ports, ...env }, stdout, ended: () => ended });
  const running = program.parseAsync(['start', '--demo'], { from: 'user' });
  const text = await new Promise<string>((resolve, reject) => {
    stdout.once('data', (chunk) => resolve(String(chunk)));
    running.catch(reject);
  });
  end('SIGTERM');
  await running;
  return text;
}

test('the commands that the demo prints find its folder from a second terminal', async () => {
  const data = join(temporaryFolder(), "Ama's data");
  const text = await greeting({ DIALTILL_DATA: data });
  const settings = `DIALTILL_DATA=${shellWord(data)} npx dialtill`;
  for (const command of ["dial '*713*5#'", 'ledger find 0244123456', 'service clock advance 10m']) {
    expect(text).toContain(`    ${settings} ${command}`);
  }
  expect(text).toContain('    npx dialtill service numbers\n');
  expect(text).toMatch(/service +(http\S+) +\(its API: \1\/docs\)/);
});

test('where another configuration would be in the way, they name that of the demo', async () => {
  const folder = temporaryFolder();
  const data = join(folder, 'data');
  mkdirSync(data);
  writeFileSync(join(folder, 'own.yaml'), '');
  const env = { DIALTILL_DATA: data, DIALTILL_CONFIG: join(folder, 'own.yaml') };
  expect(await greeting(env)).toContain(
    `    DIALTILL_CONFIG=${join(data, 'demo.yaml')} DIALTILL_DATA=${data} npx dialtill ledger verify`,
  );
});

test.each([
  ['/var/lib/dialtill', '/var/lib/dialtill'],
  ['/tmp/x demo', "'/tmp/x demo'"],
  ["/tmp/Ama's", "'/tmp/Ama'\\''s'"],
  ['$(reboot)', "'$(reboot)'"],
  ['', "''"],
])('%j is typed at a shell as %s', (text, typed) => {
  expect(shellWord(text)).toBe(typed);
});
