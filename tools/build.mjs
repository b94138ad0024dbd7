import './check-node.mjs';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/*
 * Compiles src to dist when a file of src is newer than the last build. `npm run check` checks the types, not the build. Then it adds
 * the program to the commands of this folder: without the link, `npx dialtill` packs and installs the whole project elsewhere.
 */

process.chdir(join(import.meta.dirname, '..'));
const program = 'dist/cli/main.js';
/** Written last by a build that succeeded. */
const record = 'dist/.tsbuildinfo';

if (!isBuilt()) {
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'],
    {
      stdio: 'inherit',
    },
  );
  if (status !== 0) process.exit(1);
  chmodSync(program, 0o755);
  const now = new Date();
  utimesSync(record, now, now);
}
linkCommand('node_modules/.bin/dialtill');

/** Folders count, too: their time changes when a file is deleted. */
function isBuilt() {
  if (!existsSync(record) || !existsSync(program)) return false;
  const builtAt = statSync(record).mtimeMs;
  const sources = readdirSync('src', { recursive: true }).map((name) => join('src', name));
  const inputs = ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'src', ...sources];
  return inputs.every((input) => statSync(input).mtimeMs <= builtAt);
}

function linkCommand(link) {
  if (process.platform === 'win32' || existsSync(link)) return;
  mkdirSync(dirname(link), { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(join('../..', program), link);
}
