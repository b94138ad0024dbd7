import { execFile } from 'node:child_process';
import { copyFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../src/shared/http/server.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { newMerchant, openBench } from './support.ts';

const runFile = promisify(execFile);

/** Runs a program of a package in node_modules. */
function runPackage(manifest: string, program: string, args: string[], cwd: string) {
  const file = fileURLToPath(new URL(program, manifest));
  return runFile(process.execPath, [file, ...args], { cwd }).catch(({ stdout, stderr }) => {
    throw new Error(`${program} failed: ${stdout}${stderr}`);
  });
}

const compilerOptions = {
  target: 'es2023',
  module: 'nodenext',
  types: ['node'],
  strict: true,
  skipLibCheck: true,
  outDir: 'built',
};

test('a client that is generated from the OpenAPI document compiles strictly and collects a payment', async () => {
  const folder = temporaryFolder();
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  copyFileSync('test/service/client/shop.ts', join(folder, 'shop.ts'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['shop.ts'] }));

  const generator = import.meta.resolve('openapi-typescript/package.json');
  await runPackage(generator, 'bin/cli.js', [resolve('docs/openapi.json'), '-o', 'api.ts'], folder);
  await runPackage(import.meta.resolve('typescript/package.json'), 'bin/tsc', ['-p', '.'], folder);

  const bench = openBench();
  const { key } = await newMerchant(bench);
  const { url, close } = await listen(bench.service.served, { host: '127.0.0.1', port: 0 }, '-');
  onTestFinished(() => close(0));
  const shop = runFile(process.execPath, ['built/shop.js', url, key], { cwd: folder });
  // The payer of a magic number approves after three seconds of the test clock.
  const advancing = setInterval(() => void bench.clock.advance(1_000), 20);
  onTestFinished(() => clearInterval(advancing));
  const { stdout } = await shop;
  expect(JSON.parse(stdout)).toEqual({
    faults: ['invalid_msisdn', 'invalid_reference'],
    amount: 2_020,
    status: 'paid',
    paid: [2_020],
  });
});
