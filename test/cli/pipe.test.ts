import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { compiled } from '../process/compiled.ts';

/** Runs a command in `… | true` in a shell, and returns its standard error and exit code. */
async function runWithClosedPipe(...args: string[]): Promise<string> {
  const line = '{ "$0" "$@"; echo "exit $?" >&2; } | true';
  const command = [process.execPath, compiled('src/cli/main.ts'), ...args];
  const shell = spawn('sh', ['-c', line, ...command], { stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  shell.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  await once(shell, 'close');
  return stderr;
}

test('a command ends without an error when the reader of its pipe is closed', async () => {
  expect(await runWithClosedPipe('aggregators')).toBe('exit 0\n');
});
