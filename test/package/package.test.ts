import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../kit/folder.ts';
import { run, smoke } from '../kit/smoke.ts';

const npm = (args: string[], cwd: string) =>
  execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: 'pipe' });

/** Whether the program was built after everything that it is built from: the installation does so. */
function isBuilt(): boolean {
  if (!existsSync('dist/cli/main.js')) return false;
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).map((name) => join('src', name));
  const builtAt = statSync('dist/cli/main.js').mtimeMs;
  return ['package.json', 'tsconfig.json', 'tsconfig.build.json', ...sources].every(
    (source) => statSync(source).mtimeMs < builtAt,
  );
}

/** The packed tarball, unpacked beside the dependencies that it declares and no others. */
function install(): string {
  const folder = temporaryFolder();
  const pack = ['pack', '--json', '--pack-destination', folder, ...(isBuilt() ? ['--ignore-scripts'] : [])];
  const [tarball] = JSON.parse(npm(pack, '.')) as { filename: string }[];
  execFileSync('tar', ['-xzf', join(folder, tarball?.filename ?? ''), '-C', folder]);
  const program = join(folder, 'package');
  const installed = realpathSync('node_modules');
  // Hard links where the disk allows them: the copy is pruned, the original stays. A link to the whole would be the original.
  try {
    execFileSync('cp', ['-al', installed, join(program, 'node_modules')], { stdio: 'ignore' });
  } catch {
    cpSync(installed, join(program, 'node_modules'), { recursive: true });
  }
  cpSync('package-lock.json', join(program, 'package-lock.json'));
  npm(['prune', '--omit=dev', '--offline'], program);
  return program;
}

test('the packed program runs with its production dependencies alone', async () => {
  const program = install();
  expect(existsSync(join(program, 'node_modules/vitest'))).toBe(false);
  const folder = join(program, 'elsewhere');
  mkdirSync(folder);
  const cli = [process.execPath, join(program, 'dist/cli/main.js')] as const;
  const report = await smoke(cli, folder, () => {});
  expect(report).toMatchObject({ statuses: ['paid', 'paid'], ledgerOk: true, exitCode: 0 });

  const version = await run(cli, ['--version'], folder);
  const declared = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(version).toMatchObject({ code: 0, stdout: `${declared.version}\n` });
  expect((await run(cli, ['health'], folder)).code).toBe(1);
}, 120_000);

test('every RUN step of the image is a command that was run here or by the installation', () => {
  const steps = [...readFileSync('Dockerfile', 'utf8').matchAll(/^RUN (.+)$/gm)].map(([, step]) => step);
  expect(steps).toEqual(['npm ci', 'npm prune --omit=dev', 'mkdir empty']);
});
