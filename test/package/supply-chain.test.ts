import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const folder = '.github/workflows';
const workflows = readdirSync(folder).map(
  (name) => [name, readFileSync(join(folder, name), 'utf8')] as const,
);

test.each(workflows)(
  '%s pins each action to a commit, and grants no permission to write to the repository',
  (_, text) => {
    const used = [...text.matchAll(/uses: *(.*)$/gm)].map(([, action]) => action);
    expect(used.length).toBeGreaterThan(0);
    for (const action of used) expect(action).toMatch(/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    expect(text).toMatch(/^permissions:/m);
    expect(text).not.toMatch(/contents: write|write-all|pull_request_target/);
  },
);

test('each base image of the Dockerfile has a version and a digest', () => {
  const images = [...readFileSync('Dockerfile', 'utf8').matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
  expect(images).toHaveLength(2);
  for (const image of images)
    expect(image).toMatch(/^node:24\.\d+\.\d+-bookworm(-slim)?@sha256:[0-9a-f]{64}$/);
});

test('a release is audited, has a bill of materials, and is published with its provenance', () => {
  const release = readFileSync(join(folder, 'release.yml'), 'utf8');
  for (const step of [
    'npm ci',
    'npm audit --omit=dev',
    'npm audit signatures',
    'npm run release -- --dry-run',
    'attest-build-provenance',
  ]) {
    expect(release).toContain(step);
  }
  expect(release).toMatch(/npm publish .*--provenance/);
});

const lockFiles = [
  'package-lock.json',
  ...readdirSync('tools').map((name) => join('tools', name, 'package-lock.json')),
].filter((file) => existsSync(file));

/** The folder of the project that the lock file names, and the link to it. */
const ownFolders = ['node_modules/dialtill-runtime', 'tools/runtime'];

test('there is a lock file for each folder of tools that is installed on demand', () => {
  expect(lockFiles.length).toBeGreaterThan(5);
});

test.each(lockFiles)('every package of %s has a checksum and no address outside of the registry', (file) => {
  const { packages } = JSON.parse(readFileSync(file, 'utf8')) as {
    packages: Record<string, { resolved?: string; integrity?: string }>;
  };
  const installed = Object.entries(packages).filter(([path]) => path !== '' && !ownFolders.includes(path));
  expect(installed.length).toBeGreaterThan(5);
  const unsafe = installed.filter(
    ([, { resolved = 'https://registry.npmjs.org/', integrity = '' }]) =>
      !resolved.startsWith('https://registry.npmjs.org/') || !/^sha512-/.test(integrity),
  );
  expect(unsafe.map(([path]) => path)).toEqual([]);
});
