import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, getPriority } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../kit/folder.ts';
import { compiled } from '../process/compiled.ts';

const preload = `import { getPriority } from 'node:os';
  process.on('exit', () => process.stderr.write('priority ' + getPriority() + '\\n'));`;

/** Runs a command on a missing database, and returns the priority that its process had at its end. */
async function priorityOf(...command: string[]): Promise<number> {
  const preloaded = ['--import', `data:text/javascript,${encodeURIComponent(preload)}`];
  const database = ['--db', join(temporaryFolder(), 'missing.db')];
  const args = [...preloaded, compiled('src/cli/main.ts'), ...command, ...database];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  await once(child, 'close');
  return Number(/priority (-?\d+)/.exec(stderr)?.[1]);
}

test('a command that reads a whole ledger goes behind the gateway, and a search does not', async () => {
  const low = constants.priority.PRIORITY_LOW;
  expect(await priorityOf('ledger', 'verify')).toBe(low);
  expect(await priorityOf('ledger', 'export')).toBe(low);
  expect(await priorityOf('backup', '--to', temporaryFolder())).toBe(low);
  expect(await priorityOf('ledger', 'find', '0244123456')).toBe(getPriority());
});
