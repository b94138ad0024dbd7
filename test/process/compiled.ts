import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { inject } from 'vitest';

/** What processes of their own are started from. */
const programs = ['src/cli/main.ts', 'test/**/child-*.ts', 'test/service/kill-child.ts'];

/** Those of them that tests start by the dozen. */
const dozens = ['test/process/child-gateway', 'test/service/kill-child'];

const { resolve: resolvePackage } = createRequire(import.meta.url);

/**
 * The compiled form of a program of this project. Everything is compiled once for a run of the tests: behind a loader for
 * TypeScript, most of a test's time would be spent on starting.
 */
export function compiled(file: string): string {
  const folder = join(inject('runFolder'), 'compiled');
  if (!existsSync(folder)) compile(folder);
  return join(folder, file.replace(/\.ts$/, '.js'));
}

/** Several files of tests may come here at once: the first to be done has done it for all. */
function compile(folder: string): void {
  const draft = mkdtempSync(`${folder}-`);
  for (const name of ['node_modules', 'drizzle', 'fixtures', 'package.json'])
    symlinkSync(resolve(name), join(draft, name));
  const config = join(draft, 'tsconfig.json');
  writeFileSync(
    config,
    JSON.stringify({
      extends: resolve('tsconfig.json'),
      compilerOptions: { noEmit: false, noCheck: true, rootDir: resolve('.'), outDir: draft },
      include: programs.map((program) => resolve(program)),
    }),
  );
  const typescript = dirname(resolvePackage('typescript/package.json'));
  execFileSync(process.execPath, [join(typescript, 'bin', 'tsc'), '-p', config]);
  for (const program of dozens) bundle(join(draft, `${program}.js`));
  try {
    renameSync(draft, folder);
  } catch (fault) {
    if (!existsSync(folder)) throw fault;
    rmSync(draft, { recursive: true });
  }
}

/** Puts a program and what it imports into one file: to find five hundred takes longer than most of these live. */
function bundle(program: string): void {
  const { buildSync }: { buildSync(options: object): void } = createRequire(resolvePackage('tsx'))('esbuild');
  buildSync({
    entryPoints: [program],
    outfile: program,
    allowOverwrite: true,
    bundle: true,
    platform: 'node',
    format: 'esm',
    // What is no ESM, or not JavaScript alone, stays where it is.
    external: ['better-sqlite3', 'jiti', 'pino', 'pino-pretty', 'undici'],
    banner: {
      js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`,
    },
  });
}
