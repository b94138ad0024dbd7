import { readFileSync } from 'node:fs';
import { afterAll } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** The CPU time of a test file with its imports and the child processes that have ended, in milliseconds. */
    cpuMs?: number;
  }
}

/* Setup of every test file: measures its CPU time for `test/kit/cost-reporter.ts`. */

const msPerTick = 10;

/** Returns the CPU time of the child processes that have ended, in milliseconds; 0 where the system does not list it. */
function childrenMs(): number {
  if (process.platform !== 'linux') return 0;
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const [, fields = ''] = stat.split(') ');
  const [userTicks = 0, systemTicks = 0] = fields.split(' ').slice(13, 15).map(Number);
  return (userTicks + systemTicks) * msPerTick;
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000 + childrenMs();
}

const before = cpuMs();
// biome-ignore lint/correctness/noEmptyPattern: Vitest requires the names of fixtures here.
afterAll(({}, file) => {
  file.meta.cpuMs = cpuMs() - before;
});
