import './check-node.mjs';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * Installs the packages of the folders beside this file that the arguments name, or of all of them. Each folder has a lockfile of its
 * own and is installed once, and again when it changes. `npm ci` in the root installs none of them, because most work needs
 * none.
 *
 *   npm run tools -- browser postgres
 */

const root = import.meta.dirname;
const known = readdirSync(root).filter((name) => existsSync(join(root, name, 'package-lock.json')));
const names = process.argv.length > 2 ? process.argv.slice(2) : known;

const unknown = names.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`tools: unknown: ${unknown.join(', ')}. Known: ${known.join(', ')}\n`);
  process.exit(2);
}

for (const name of names) {
  const folder = join(root, name);
  const declared = ['package.json', 'package-lock.json'].map((file) => readFileSync(join(folder, file)));
  const wanted = createHash('sha256').update(Buffer.concat(declared)).digest('hex');
  const record = join(folder, 'node_modules', '.installed');
  if (existsSync(record) && readFileSync(record, 'utf8') === wanted) continue;
  process.stderr.write(`tools: installing tools/${name} (once)\n`);
  const { status } = spawnSync('npm', ['ci', '--no-fund', '--no-audit'], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) {
    process.stderr.write(`tools: npm ci in tools/${name} failed\n`);
    process.exit(1);
  }
  writeFileSync(record, wanted);
}
