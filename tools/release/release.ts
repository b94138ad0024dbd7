import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { describeSeeds, readResults } from '../../test/simulation/results.ts';
import { takeFirstSteps } from './first-steps.ts';
import { checkOperatorKit } from './operator-kit.ts';

const help = `Checks a release without a registry to publish to, and writes its files to release/.

  npm run release -- --dry-run [--only <step,...>]

Steps:
  tree        nothing in the clone differs from its commit
  version     package.json, package-lock.json and the tags
  changelog   its first entry is of this version
  documents   the OpenAPI documents and the schemas are those of the program, and pass the linters
  licences    those of the packages that a user installs
  materials   release/sbom.cdx.json lists each of these packages
  tarball     release/dialtill-<version>.tgz, of at most 2 MB, and its checksum
  context     release/context.tar, from which an image is built
  notes       release/notes.md, the entry of the changelog and the simulated seeds
  site        the site of the documents, in tools/site/dist
  node24      the tarball in an empty project on Node 24: init, dev, a payment, a notification, a backup, a restore
  node22      the same on Node 22
  operator    deploy/ and observability/ in systemd, promtool, nginx and Caddy, where they are installed; a payment through each proxy

Each line begins with ok, with partly where a program is not installed, or with failed.

Exit code: 0 if no step failed, 1 if one did, 2 for wrong options. docs/release.md has what follows.`;

const maxTarballBytes = 2_000_000;
const allowedLicences = ['MIT', 'MIT-0', 'ISC', 'Apache-2.0', 'BSD-3-Clause', '0BSD', 'BlueOak-1.0.0'];
const folder = 'release';
const cyclonedx = 'tools/release/node_modules/@cyclonedx/cyclonedx-npm/bin/cyclonedx-npm-cli.js';

type Package = { version: string; license?: string; dev?: boolean; devOptional?: boolean; link?: boolean };
type Lock = { version: string; packages: Record<string, Package> };

const readJson = <T>(file: string) => JSON.parse(readFileSync(file, 'utf8')) as T;
const { version } = readJson<{ version: string }>('package.json');
const tarball = join(folder, `dialtill-${version}.tgz`);

/** Runs a command, and returns its output. @throws Error with its output when it fails. */
function output(command: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (status !== 0)
    throw new Error(`${command} ${args.join(' ')} exited with ${status}:\n${stdout}${stderr}`);
  return stdout;
}

const headCommit = () => output('git', 'rev-parse', 'HEAD').trim();

// cspell:ignore objectname
/** The commit of the tag of this version; undefined without a tag. */
function taggedCommit(): string | undefined {
  const commit = output(
    'git',
    'for-each-ref',
    '--format=%(*objectname) %(objectname)',
    `refs/tags/v${version}`,
  );
  return commit.trim().split(' ')[0] || undefined;
}

/** The packages that a user installs, as `name@version`, with their licences. */
function installedPackages(): Map<string, string> {
  const { packages } = readJson<Lock>('package-lock.json');
  const installed = Object.entries(packages).filter(
    ([path, one]) =>
      path !== '' && !one.dev && !one.devOptional && !one.link && path.startsWith('node_modules/'),
  );
  return new Map(
    installed.map(([path, one]) => [
      `${path.split('node_modules/').at(-1)}@${one.version}`,
      one.license ?? 'none',
    ]),
  );
}

/** Each step returns what it found. @throws Error when the release must not be made. */
const steps: Record<string, () => string | Promise<string>> = {
  tree() {
    const changed = output('git', 'status', '--porcelain');
    if (changed !== '') throw new Error(`the clone differs from its commit:\n${changed}`);
    return output('git', 'rev-parse', '--short', 'HEAD').trim();
  },
  version() {
    const lock = readJson<Lock>('package-lock.json');
    if (lock.version !== version || lock.packages['']?.version !== version)
      throw new Error(`package-lock.json has ${lock.version}, package.json ${version}: run npm install`);
    const tagged = taggedCommit();
    if (tagged !== undefined && tagged !== headCommit())
      throw new Error(`the tag v${version} is of another commit`);
    return version;
  },
  changelog() {
    const [, of = '', date = ''] = /^## (\S+) - (\S+)$/m.exec(readFileSync('CHANGELOG.md', 'utf8')) ?? [];
    if (of !== version)
      throw new Error(`the first entry is of ${of || 'no version'}, package.json has ${version}`);
    if (date === 'unreleased' && taggedCommit() !== undefined)
      throw new Error(`${version} has a tag, and no date`);
    if (date === 'unreleased') return `${version}: replace "unreleased" with the date before the tag`;
    if (!(Date.parse(date) <= Date.now())) throw new Error(`the entry has no date that has come: ${date}`);
    return `${version} of ${date}`;
  },
  documents() {
    for (const script of ['openapi', 'docs', 'check:openapi']) output('npm', 'run', '-s', script);
    const changed = output('git', 'diff', '--stat', '--', 'docs');
    if (changed !== '') throw new Error(`documents differ from the program; commit them:\n${changed}`);
    return 'the same as the program, and without warnings';
  },
  licences() {
    const packages = [...installedPackages()];
    const others = packages.filter(([, licence]) => !allowedLicences.includes(licence));
    if (others.length > 0)
      throw new Error(`licences that are not accepted: ${others.map((one) => one.join(' ')).join(', ')}`);
    return `${packages.length} packages: ${[...new Set(packages.map(([, licence]) => licence))].sort().join(', ')}`;
  },
  materials() {
    const file = join(folder, 'sbom.cdx.json');
    // npm sbom leaves out packages that a development dependency needs as well.
    const options = [
      '--omit',
      'dev',
      '--package-lock-only',
      '--flatten-components',
      '--output-reproducible',
      '--output-file',
      file,
    ];
    output(process.execPath, cyclonedx, ...options);
    type Component = { group?: string; name: string; version: string };
    const { components } = readJson<{ components: Component[] }>(file);
    const nameOf = ({ group, name }: Component) => (group === undefined ? name : `${group}/${name}`);
    const listed = new Set(components.map((one) => `${nameOf(one)}@${one.version}`));
    const missing = [...installedPackages().keys()].filter((one) => !listed.has(one));
    if (missing.length > 0) throw new Error(`not in the bill of materials: ${missing.join(', ')}`);
    return `${components.length} components`;
  },
  tarball() {
    output('npm', 'pack', '--silent', '--pack-destination', folder);
    const bytes = readFileSync(tarball);
    const size = `${(bytes.length / 1e6).toFixed(2)} MB`;
    if (bytes.length > maxTarballBytes) throw new Error(`${size}: at most 2 MB`);
    const sum = createHash('sha256').update(bytes).digest('hex');
    writeFileSync(join(folder, 'SHA256SUMS'), `${sum}  dialtill-${version}.tgz\n`);
    return `${size}, sha256 ${sum.slice(0, 16)}…`;
  },
  context() {
    output('git', 'archive', '--output', join(folder, 'context.tar'), 'HEAD');
    return join(folder, 'context.tar');
  },
  notes() {
    const [, entry = ''] = readFileSync('CHANGELOG.md', 'utf8').split(/^## .*$/m);
    if (entry.trim() === '') throw new Error('the changelog has no entry');
    const seeds = describeSeeds(readResults('docs/reliability/seeds.json'));
    writeFileSync(join(folder, 'notes.md'), `${entry.trim()}\n\n${seeds}\n`);
    return `${entry.trim().split('\n').length} lines and the simulated seeds`;
  },
  site() {
    output('npm', 'run', '-s', 'site');
    return 'tools/site/dist';
  },
  node24: () => takeFirstSteps(resolve(tarball), 24),
  node22: () => takeFirstSteps(resolve(tarball), 22),
  operator: checkOperatorKit,
};

function readSteps(): string[] | undefined {
  const { values } = parseArgs({
    options: { 'dry-run': { type: 'boolean' }, only: { type: 'string' }, help: { type: 'boolean' } },
  });
  if (values.help) return undefined;
  if (!values['dry-run']) throw new Error('only --dry-run: the workflow release.yml publishes a tag');
  const names = values.only?.split(',') ?? Object.keys(steps);
  const unknown = names.filter((name) => !(name in steps));
  if (unknown.length > 0) throw new Error(`--only: no step ${unknown.join(', ')}`);
  return names;
}

async function take(names: readonly string[]): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const name of names) {
    try {
      const found = await steps[name]?.();
      const done = found?.includes('not installed') ? 'partly' : 'ok';
      process.stdout.write(`${done.padEnd(8)}${name.padEnd(10)} ${found}\n`);
    } catch (fault) {
      process.exitCode = 1;
      process.stdout.write(`failed  ${name.padEnd(10)} ${fault instanceof Error ? fault.message : fault}\n`);
    }
  }
}

let names: string[] | undefined;
try {
  names = readSteps();
} catch (fault) {
  process.stderr.write(`${fault instanceof Error ? fault.message : fault}\nTry --help.\n`);
  process.exit(2);
}
if (names) await take(names);
else process.stdout.write(`${help}\n`);
