import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { serveReloading } from '../../src/cli/commands/dev/reloading-gateway.ts';
import { readTextFile } from '../../src/shared/text-file.ts';
import { env, good, shop, write } from '../gateway/config/kit.ts';
import { settle, testClock } from '../kit/clock.ts';
import { createSilentLog } from '../kit/log.ts';

const interval = 300;

/** Starts a gateway on a project's files. `edit` writes its menu. */
async function startReloading(onServing: (edit: (text: string) => void) => void = () => {}) {
  const file = write(
    `${good.replace(shop, 'menu.yaml').replace('data/till.db', 'till.db')}listen: { port: 0 }\n`,
  );
  const menuFile = join(dirname(file), 'menu.yaml');
  const menu = readTextFile(shop) ?? '';
  const edit = (text: string) => writeFileSync(menuFile, text);
  edit(menu);
  const clock = testClock();
  const told: string[] = [];
  const gateway = await serveReloading(file, {
    ...{ clock, readEnv: () => env, alsoWatched: [], overrides: { log: createSilentLog() } },
    onServing: async () => onServing(edit),
    onReload: (changed) => told.push(`reloaded ${changed.slice(dirname(file).length + 1)}`),
    onErrors: (message) => told.push(message.split('\n').at(-1) ?? ''),
  });
  const nextLook = async () => {
    await clock.advance(interval);
    await settle();
  };
  return { gateway, menu, edit, told, nextLook };
}

test('a change that is made as soon as the gateway serves is applied', async () => {
  const { gateway, told, nextLook } = await startReloading((edit) => edit('- a list\n'));
  await nextLook();
  expect(told).toEqual([expect.stringContaining('expected a map, found a list')]);
  await gateway.stop();
});

test('a correction that follows an error at once is applied', async () => {
  const { gateway, menu, edit, told, nextLook } = await startReloading();
  edit('- a list\n');
  await nextLook();
  edit(menu);
  await nextLook();
  expect(told).toEqual([expect.stringContaining('expected a map'), 'reloaded menu.yaml']);
  await nextLook();
  expect(told).toHaveLength(2);
  await gateway.stop();
});
