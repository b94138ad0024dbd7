import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/**
 * Returns the command that keeps a program on one core, so that a client and the server that it measures do not wait for each
 * other's processor time. It is empty where there is one core, or no `taskset`.
 */
export function onCore(core: 0 | 1): readonly string[] {
  const isPossible = availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0;
  return isPossible ? ['taskset', '--cpu-list', String(core)] : [];
}
