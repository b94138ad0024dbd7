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

/** Throws in the process of the command once it has started: an error that no command expects. */
const unexpected = `
  const end = Date.now() + 3_000;
  const wait = setInterval(() => {
    if (process.listenerCount('uncaughtException') === 0 && Date.now() < end) return;
    clearInterval(wait);
    throw new Error('\\u001b]0;title\\u0007');
  }, 5);`;

test('an unexpected error is printed without its control characters, and ends the command with 1', async () => {
  const preload = `data:text/javascript,${encodeURIComponent(unexpected)}`;
  const args = ['--import', preload, compiled('src/cli/main.ts'), 'aggregators'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const [code] = await once(child, 'close');
  expect(stderr).toContain('Error: \\u001b]0;title\\u0007');
  expect(stderr).not.toMatch(/[^\P{Cc}\n]/u);
  expect(code).toBe(1);
});

test('a command ends without an error when the reader of its pipe is closed', async () => {
  expect(await runWithClosedPipe('aggregators')).toBe('exit 0\n');
});
