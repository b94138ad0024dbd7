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
import { parse, stringify } from 'yaml';
import { aggregatorNames } from '../../src/aggregators/registry.ts';
import { snippetOf } from '../docs/snippets.ts';
import { launch, run } from '../kit/launch.ts';
import { smoke } from '../kit/smoke.ts';
import { freePort } from '../process/free-port.ts';

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
  prepareConsumer(installed);
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
    /^dist\/.+\.(js|d\.ts)$/,
    /^drizzle\/(gateway|service|postgres\/gateway)\/(\d{4}_\w+\.sql|meta\/_journal\.json)$/,
    /^drizzle\/postgres\/gateway\/catalogue\.json$/,
    /^fixtures\/(aggregators|channels|menus|rails|receivers|sessions)\//,
    /^docs\/.+\.(md|json)$/,
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

const programs = ['gateway.ts', 'mounted.ts', 'sandbox.ts', 'rail.ts', 'live.ts', 'menu.ts'];

/** Makes the other project one that has installed what the programs of docs/library.md import, and holds them. */
function prepareConsumer({ program, consumer }: Installed): void {
  mkdirSync(join(consumer, 'node_modules/@types'));
  for (const name of ['hono', '@hono'])
    symlinkSync(join(program, 'node_modules', name), join(consumer, 'node_modules', name));
  symlinkSync(resolve('node_modules/@types/node'), join(consumer, 'node_modules/@types/node'));
  for (const name of programs) writeFileSync(join(consumer, name), snippetOf('docs/library.md', name));
  cpSync('fixtures/menus/shop.yaml', join(consumer, 'menu.yaml'));
  const config = { ...parse(snippetOf('README.md', 'dialtill.yaml')), listen: { port: 0 } };
  writeFileSync(join(consumer, 'dialtill.yaml'), stringify(config));
}

test('entry points and documented programs have types, and no declaration of the package is wrong', () => {
  const { consumer } = installed;
  const lines = Object.entries(entryPoints).map(
    ([name, values], i) =>
      `import { ${values.map((one) => `${one} as ${one}${i}`).join(', ')} } from '${name}';\n` +
      `export const uses${i}: readonly unknown[] = [${values.map((one) => `${one}${i}`).join(', ')}];\n`,
  );
  const wrong =
    '// @ts-expect-error: a wrong option is found, so the types are there\ncreateLog0({ level: 1 });\n';
  writeFileSync(join(consumer, 'uses.ts'), `${lines.join('')}${wrong}`);
  const compilerOptions = {
    ...{ noEmit: true, strict: true, skipLibCheck: false, allowImportingTsExtensions: true },
    ...{ module: 'nodenext', target: 'es2024', types: ['node'] },
  };
  const files = ['uses.ts', ...programs];
  writeFileSync(join(consumer, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const tsc = resolve('node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, '--pretty', 'false'], {
    cwd: consumer,
    encoding: 'utf8',
  });
  const errors = stdout.split('\n').filter((line) => /^\S+\(\d+,\d+\): error/.test(line));
  // Errors in the declarations of other packages are theirs.
  expect(errors.filter((line) => !/^[^(]*node_modules\/(?!dialtill\/)/.test(line))).toEqual([]);
});

const secrets = {
  ABENA_KEY: 'sk_test_abena',
  ABENA_WEBHOOK_SECRET: 'a-webhook-secret-of-24-characters',
  ABENA_NALO_SECRET: 'a-path-secret-of-22-or-more',
  DIALTILL_ADMIN_TOKEN: 'q8Zb0s3kJv7Nf1xYtR5mW9dLhC2uGaEo4TiPz6KXbVQ=',
};

/** Runs a program of the documentation, asks it while it runs, and ends it. Returns its exit code. */
async function runDocumented(name: string, ask: (port: number, output: string) => Promise<void>) {
  const port = await freePort();
  const env = { ...secrets, PORT: String(port) };
  const program = launch([process.execPath, name], { cwd: installed.consumer, env });
  try {
    await program.waitForOutput(/^The \w+ is (at|ready)/m);
    await ask(port, program.stdout() + program.stderr());
  } catch (cause) {
    throw new Error(`${name}: ${program.stdout()}${program.stderr()}`, { cause });
  } finally {
    program.signal('SIGTERM');
  }
  return (await program.ended).code;
}

const statusOf = async (url: string) => (await fetch(url)).status;

test('the documented programs run', async () => {
  const codes = [
    await runDocumented('gateway.ts', async (_, output) => {
      const [, url = ''] = /The gateway is at (\S+)/.exec(output) ?? [];
      expect(await statusOf(`${url}/readyz`)).toBe(200);
    }),
    await runDocumented('mounted.ts', async (port) => {
      const url = `http://127.0.0.1:${port}`;
      expect(await (await fetch(url)).text()).toBe('Abena Stores');
      expect(await statusOf(`${url}/pay/readyz`)).toBe(200);
    }),
    await runDocumented('sandbox.ts', async (port, output) => {
      const [, key = ''] = /is (sk_test_\S+)/.exec(output) ?? [];
      const answer = await fetch(`http://127.0.0.1:${port}/v1/otp/request`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          msisdn: '233244123901',
          purpose: 'collection',
          collection: { amount_minor: 2_000 },
        }),
      });
      expect(answer.status).toBe(201);
    }),
    await runDocumented('live.ts', async (port) =>
      expect(await statusOf(`http://127.0.0.1:${port}/healthz`)).toBe(200),
    ),
  ];
  expect(codes).toEqual([0, 0, 0, 0]);
  const menu = spawnSync(process.execPath, ['menu.ts'], { cwd: installed.consumer, encoding: 'utf8' });
  expect(menu).toMatchObject({ status: 0, stdout: expect.stringContaining('mount') });
});

test('every RUN step of the image is a command that was run here or by the installation', () => {
  const steps = [...readFileSync('Dockerfile', 'utf8').matchAll(/^RUN (.+)$/gm)].map(([, step]) => step);
  expect(steps).toEqual(['npm ci', 'npm prune --omit=dev', 'mkdir empty']);
});
