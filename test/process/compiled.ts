import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inject } from 'vitest';

/** The programs that tests start as processes. */
const programs = ['src/cli/main.ts', 'test/**/child-*.ts'];

/** The programs that tests start many times. */
const dozens = ['src/cli/main', 'test/process/child-gateway', 'test/process/child-service'];

const { resolve: resolvePackage } = createRequire(import.meta.url);

/**
 * Returns the compiled form of a program. All programs are compiled once per test run, because a TypeScript loader
 * would dominate their start time.
 */
export function compiled(file: string): string {
  const folder = join(inject('runFolder'), 'compiled');
  if (!existsSync(folder)) compile(folder);
  return join(folder, file.replace(/\.ts$/, '.js'));
}

/** Returns the compiled form of the command line that loads its modules one by one, as the installed program does. */
export function compiledModules(): string {
  return join(dirname(compiled('src/cli/main.ts')), 'main.modules.js');
}

/** Several test files can run this at once. The first result is used. */
function compile(folder: string): void {
  const draft = mkdtempSync(`${folder}-`);
  for (const name of ['node_modules', 'assets', 'drizzle', 'fixtures', 'package.json'])
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
  fixUrls(draft, folder);
  copyFileSync(join(draft, 'src/cli/main.js'), join(draft, 'src/cli/main.modules.js'));
  for (const program of dozens) bundle(join(draft, `${program}.js`));
  try {
    renameSync(draft, folder);
  } catch (fault) {
    if (!existsSync(folder)) throw fault;
    rmSync(draft, { recursive: true });
  }
}

/** Gives each module its own URL as a constant: in a bundle it finds its threads and files from there. */
function fixUrls(draft: string, folder: string): void {
  for (const name of globSync('src/**/*.js', { cwd: draft })) {
    const file = join(draft, name);
    const text = readFileSync(file, 'utf8');
    if (!text.includes('import.meta.url')) continue;
    const { href } = pathToFileURL(join(folder, name));
    writeFileSync(file, text.replaceAll('import.meta.url', JSON.stringify(href)));
  }
}

/** Bundles a program with its imports, because resolving hundreds of modules takes longer than most processes live. */
function bundle(program: string): void {
  const { buildSync }: { buildSync(options: object): void } = createRequire(resolvePackage('tsx'))('esbuild');
  buildSync({
    entryPoints: [program],
    outfile: program,
    allowOverwrite: true,
    bundle: true,
    platform: 'node',
    format: 'esm',
    // Modules that are not plain ESM JavaScript stay external.
    external: ['better-sqlite3', 'jiti', 'pino', 'pino-pretty', 'undici'],
    banner: {
      js: `import { createRequire as createBundleRequire } from 'node:module'; const require = createBundleRequire(import.meta.url);`,
    },
  });
}
