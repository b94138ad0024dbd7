import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../kit/folder.ts';

const steps = ['version', 'changelog', 'licences', 'notes'];

/** Runs quick steps of the dry run on a copy of the project that has a fault. */
function dryRun(plant: (folder: string) => void) {
  const folder = temporaryFolder();
  for (const file of ['package.json', 'package-lock.json', 'CHANGELOG.md', 'tsconfig.json'])
    cpSync(file, join(folder, file));
  for (const part of ['node_modules', 'tools', 'test', 'src']) symlinkSync(resolve(part), join(folder, part));
  spawnSync('git', ['init', '--quiet'], { cwd: folder });
  plant(folder);
  const args = ['tools/release/release.ts', '--dry-run', '--only', steps.join(',')];
  const tsx = resolve('node_modules/.bin/tsx');
  const { status, stdout } = spawnSync(tsx, args, { cwd: folder, encoding: 'utf8' });
  const failed = [...stdout.matchAll(/^failed +(\w+)/gm)].map(([, name]) => name);
  return { status, failed };
}

const replace = (file: string, from: string | RegExp, to: string) => (folder: string) => {
  const path = join(folder, file);
  const text = readFileSync(path, 'utf8');
  expect(text).toMatch(from);
  writeFileSync(path, text.replace(from, to));
};

test('the dry run of a release passes its quick steps', () => {
  expect(dryRun(() => {})).toEqual({ status: 0, failed: [] });
});

test.each([
  ['an entry of another version', 'changelog', replace('CHANGELOG.md', /^## \S+ - /m, '## 9.9.9 - ')],
  ['a date to come', 'changelog', replace('CHANGELOG.md', /^(## \S+) - \S+$/m, '$1 - 2999-01-01')],
  [
    'another version in the lock file',
    'version',
    replace('package-lock.json', /"version": "[^"]+"/, '"version": "9.9.9"'),
  ],
  [
    'a licence that is not accepted',
    'licences',
    replace('package-lock.json', /("node_modules\/hono": \{[^}]*"license": )"MIT"/, '$1"AGPL-3.0"'),
  ],
])('the dry run of a release fails for %s', (_, step, plant) => {
  expect(dryRun(plant)).toEqual({ status: 1, failed: [step] });
});
