import { expect, test } from 'vitest';
import { run } from '../kit/launch.ts';
import { dialtill } from '../process/processes.ts';

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
  const [node, main = ''] = dialtill();
  const { code, stderr } = await run([node, '--import', preload, main], ['aggregators']);
  expect(stderr).toContain('Error: \\u001b]0;title\\u0007');
  expect(stderr).not.toMatch(/[^\P{Cc}\n]/u);
  expect(code).toBe(1);
});

test('a command ends without an error when the reader of its pipe is closed', async () => {
  const line = '{ "$0" "$@"; echo "exit $?" >&2; } | true';
  expect(await run(['sh', '-c', line, ...dialtill()], ['aggregators'])).toMatchObject({ stderr: 'exit 0\n' });
});
