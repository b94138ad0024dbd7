import { constants, getPriority } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../kit/folder.ts';
import { run } from '../kit/launch.ts';
import { dialtill } from '../process/processes.ts';

/* Linux has a priority for each thread, other systems one for the process. */
const preload = `import { readdirSync } from 'node:fs';
  import { getPriority } from 'node:os';
  const threads = () => { try { return readdirSync('/proc/self/task').map(Number); } catch { return [process.pid]; } };
  const lasting = new Set(threads());
  process.on('exit', () => {
    const found = threads().filter((thread) => lasting.has(thread)).map(getPriority);
    process.stderr.write('priorities ' + [...new Set(found)].join() + '\\n');
  });`;

/** Runs a command on a missing database, and returns the priorities that its threads had at its end. */
async function prioritiesOf(...command: string[]): Promise<string | undefined> {
  const preloaded = ['--import', `data:text/javascript,${encodeURIComponent(preload)}`];
  const database = ['--db', join(temporaryFolder(), 'missing.db')];
  const [node, main = ''] = dialtill();
  const { stderr } = await run([node, ...preloaded, main], [...command, ...database]);
  return /priorities (.+)/.exec(stderr)?.[1];
}

test('all threads of a command that reads a whole ledger go behind the gateway, and a search does not', async () => {
  const low = String(constants.priority.PRIORITY_LOW);
  expect(await prioritiesOf('ledger', 'verify')).toBe(low);
  expect(await prioritiesOf('ledger', 'export')).toBe(low);
  expect(await prioritiesOf('backup', '--to', temporaryFolder())).toBe(low);
  expect(await prioritiesOf('ledger', 'find', '0244123456')).toBe(String(getPriority()));
});
