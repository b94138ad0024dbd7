import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll } from 'vitest';

/** What processes of their own are started from. */
const programs = ['src/cli.ts', 'test/process/child-*.ts'];

let folder: string | undefined;

/**
 * The compiled form of a program of this project. Everything is compiled once for a file of tests: behind a loader for
 * TypeScript, most of a test's time would be spent on starting.
 */
export function compiled(file: string): string {
  folder ??= compile();
  return join(folder, file.replace(/\.ts$/, '.js'));
}

afterAll(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

function compile(): string {
  const outDir = mkdtempSync(join(tmpdir(), 'dialtill-compiled-'));
  for (const name of ['node_modules', 'drizzle', 'package.json'])
    symlinkSync(resolve(name), join(outDir, name));
  const config = join(outDir, 'tsconfig.json');
  writeFileSync(
    config,
    JSON.stringify({
      extends: resolve('tsconfig.json'),
      compilerOptions: { noEmit: false, noCheck: true, rootDir: resolve('.'), outDir },
      include: programs.map((program) => resolve(program)),
    }),
  );
  const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
  execFileSync(process.execPath, [join(typescript, 'bin', 'tsc'), '-p', config]);
  return outDir;
}
