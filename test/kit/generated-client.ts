import { execFile } from 'node:child_process';
import { copyFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryFolder } from './folder.ts';

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

/**
 * Compiles a program strictly, beside the types that are generated from an OpenAPI document.
 *
 * @returns a function that runs it and returns what it prints.
 */
export async function compileClient(document: string, program: string) {
  const folder = temporaryFolder();
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  copyFileSync(program, join(folder, 'shop.ts'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['shop.ts'] }));
  const generator = import.meta.resolve('openapi-typescript/package.json');
  await runPackage(generator, 'bin/cli.js', [resolve(document), '-o', 'api.ts'], folder);
  await runPackage(import.meta.resolve('typescript/package.json'), 'bin/tsc', ['-p', '.'], folder);
  return async (...args: string[]): Promise<unknown> => {
    const { stdout } = await runFile(process.execPath, ['built/shop.js', ...args], { cwd: folder });
    return JSON.parse(stdout);
  };
}
