import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { compiled } from '../process/compiled.ts';

/** Runs a command of the program before `| true` in a shell, and returns what it complains of, and its exit code. */
async function unread(...args: string[]): Promise<string> {
  const line = '{ "$0" "$@"; echo "exit $?" >&2; } | true';
  const command = [process.execPath, compiled('src/cli/main.ts'), ...args];
  const shell = spawn('sh', ['-c', line, ...command], { stdio: ['ignore', 'ignore', 'pipe'] });
  let told = '';
  shell.stderr.setEncoding('utf8').on('data', (text) => {
    told += text;
  });
  await once(shell, 'close');
  return told;
}

test('a command whose reader has read enough ends quietly', async () => {
  expect(await unread('aggregators')).toBe('exit 0\n');
});
