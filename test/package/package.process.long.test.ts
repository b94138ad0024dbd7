import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aggregatorNames } from '../../src/aggregators/registry.ts';
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

type Installed = {
  /** The folder of the unpacked package. */
  program: string;
  /** A folder of another project that depends on the package. */
  consumer: string;
  /** Paths in the tarball. */
  files: readonly string[];
};

/** Packs the project and unpacks it beside the dependencies that it declares, without development dependencies. */
function install(folder: string): Installed {
  const pack = ['pack', '--json', '--pack-destination', folder, ...(isBuilt() ? ['--ignore-scripts'] : [])];
  type Packed = { filename: string; files: { path: string }[] };
  const [packed] = JSON.parse(npm(pack, '.')) as [Packed];
  execFileSync('tar', ['-xzf', join(folder, packed.filename), '-C', folder]);
  const program = join(folder, 'package');
  const installed = realpathSync('node_modules');
  // Hard links where the disk allows them: the copy is pruned, the original stays. A symbolic link would be the original.
  try {
    execFileSync('cp', ['-al', installed, join(program, 'node_modules')], { stdio: 'ignore' });
  } catch {
    cpSync(installed, join(program, 'node_modules'), { recursive: true });
  }
  cpSync('package-lock.json', join(program, 'package-lock.json'));
  npm(['prune', '--omit=dev', '--offline'], program);
  const consumer = join(folder, 'consumer');
  mkdirSync(join(consumer, 'node_modules'), { recursive: true });
  symlinkSync(program, join(consumer, 'node_modules/dialtill'));
  writeFileSync(join(consumer, 'package.json'), '{ "type": "module" }');
  return { program, consumer, files: packed.files.map(({ path }) => path) };
}

let installed: Installed;
const folder = mkdtempSync(join(tmpdir(), 'dialtill-package-'));
beforeAll(() => {
  installed = install(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the packed program runs with its production dependencies alone', async () => {
  const { program } = installed;
  expect(existsSync(join(program, 'node_modules/vitest'))).toBe(false);
  const elsewhere = join(program, 'elsewhere');
  mkdirSync(elsewhere);
  const cli = [process.execPath, join(program, 'dist/cli/main.js')] as const;
  const report = await smoke(cli, elsewhere, () => {});
  expect(report).toMatchObject({ statuses: ['paid', 'paid'], ledgerOk: true, exitCode: 0 });

  const version = await run(cli, ['--version'], elsewhere);
  const declared = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(version).toMatchObject({ code: 0, stdout: `${declared.version}\n` });
  expect((await run(cli, ['health'], elsewhere)).code).toBe(1);
});

test('the tarball holds the compiled program, migrations, fixtures and documents, and nothing else', () => {
  const expected = [
    /^dist\/.+\.(js|d\.ts|js\.map)$/,
    /^drizzle\/(gateway|service|postgres\/gateway)\/(\d{4}_\w+\.sql|meta\/.+\.json)$/,
    /^drizzle\/postgres\/gateway\/catalogue\.json$/,
    /^fixtures\/(aggregators|channels|menus|rails|sessions)\//,
    /^docs\/.+\.(md|json|webp)$/,
    /^observability\/.+\.(yaml|json)$/,
    /^assets\/.+\.(svg|css|js)$/,
    /^deploy\/.+$/,
    /^(README\.md|CHANGELOG\.md|LICENSE|package\.json|dialtill\.example\.yaml|\.env\.example)$/,
  ];
  const { files } = installed;
  expect(files.filter((path) => !expected.some((pattern) => pattern.test(path)))).toEqual([]);
  for (const pattern of expected) expect(files.some((path) => pattern.test(path))).toBe(true);

  // dialtill.example.yaml refers to it.
  expect(files).toContain('.env.example');

  const fixtures = readdirSync('fixtures/aggregators', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .map((name) => `fixtures/aggregators/${name}`);
  expect(fixtures.length).toBeGreaterThan(aggregatorNames.length);
  expect(files).toEqual(expect.arrayContaining(fixtures));
});

/** Values that each public entry point exports. */
const entryPoints = {
  'dialtill/gateway': [
    'createGateway',
    'serveGateway',
    'loadConfig',
    'createLog',
    'systemClock',
    'systemIds',
  ],
  'dialtill/service': [
    'createService',
    'listen',
    'advanceableClock',
    'createLog',
    'systemClock',
    'systemIds',
  ],
  'dialtill/menu': ['defineMenu', 'ask', 'choose', 'confirm', 'end', 'lookup'],
  'dialtill/testing': ['createTill', 'rehearse'],
};

test.each(Object.entries(entryPoints))('%s can be imported from the packed tarball', (name, values) => {
  const program = `import * as all from '${name}'; console.log(JSON.stringify(Object.keys(all)));`;
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: installed.consumer,
    encoding: 'utf8',
  });
  expect(JSON.parse(printed)).toEqual(expect.arrayContaining(values));
});

test('the entry points of the packed tarball have types', () => {
  const { consumer } = installed;
  const lines = Object.entries(entryPoints).map(
    ([name, values], i) =>
      `import { ${values.map((one) => `${one} as ${one}${i}`).join(', ')} } from '${name}';\n` +
      `export const uses${i}: readonly unknown[] = [${values.map((one) => `${one}${i}`).join(', ')}];\n`,
  );
  const wrong =
    '// @ts-expect-error: a wrong option is found, so the types are there\ncreateLog0({ level: 1 });\n';
  writeFileSync(join(consumer, 'uses.ts'), `${lines.join('')}${wrong}`);
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2023'];
  const tsc = resolve('node_modules/typescript/bin/tsc');
  const result = spawnSync(process.execPath, [tsc, ...options, 'uses.ts'], {
    cwd: consumer,
    encoding: 'utf8',
  });
  expect(result).toMatchObject({ status: 0, stdout: '' });
});

test('every RUN step of the image is a command that was run here or by the installation', () => {
  const steps = [...readFileSync('Dockerfile', 'utf8').matchAll(/^RUN (.+)$/gm)].map(([, step]) => step);
  expect(steps).toEqual(['npm ci', 'npm prune --omit=dev', 'mkdir empty']);
});
