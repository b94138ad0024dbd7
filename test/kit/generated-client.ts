import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from './folder.ts';

const runFile = promisify(execFile);

const [packages, peers] = [resolve('node_modules'), resolve('tools/peers/node_modules')];

/** Runs a program of a package. */
function runPackage(file: string, args: string[], cwd: string) {
  return runFile(process.execPath, [file, ...args], { cwd }).catch(({ stdout, stderr }) => {
    throw new Error(`${file} failed: ${stdout}${stderr}`);
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
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(join(packages, '@types'), join(folder, 'node_modules/@types'));
  symlinkSync(join(peers, 'openapi-fetch'), join(folder, 'node_modules/openapi-fetch'));
  copyFileSync(program, join(folder, 'shop.ts'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['shop.ts'] }));
  await runPackage(join(peers, 'openapi-typescript/bin/cli.js'), [resolve(document), '-o', 'api.ts'], folder);
  await runPackage(join(packages, 'typescript/bin/tsc'), ['-p', '.'], folder);
  return async (...args: string[]): Promise<unknown> => {
    const { stdout } = await runFile(process.execPath, ['built/shop.js', ...args], { cwd: folder });
    return JSON.parse(stdout);
  };
}
