import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createJiti } from 'jiti';
import { expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { registerMenu } from '../../src/cli/commands/menu/menu.ts';
import { registerRehearse } from '../../src/cli/commands/rehearse.ts';
import { loadMenu } from '../../src/menu/file/load.ts';
import * as testing from '../../src/testing/index.ts';
import { runCommand } from '../kit/command.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { grownMenus, snippetOf } from './snippets.ts';

/*
 * Follows docs/tutorial.md from an empty file.
 */

const menus = grownMenus('docs/tutorial.md', 'menu.yaml');

/** A folder with the menu at the end of the tutorial, and other files of it. */
function folderWith(...files: string[]): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'menu.yaml'), stringify(menus.at(-1)));
  for (const file of files) writeFileSync(join(folder, file), snippetOf('docs/tutorial.md', file));
  return folder;
}

test('the first menu is short', () => {
  const [first = {}] = menus;
  expect(menus.length).toBeGreaterThan(4);
  expect(stringify(first).split('\n').length).toBeLessThan(25);
});

test.each(menus.map((menu, i) => [i + 1, menu] as const))(
  'after step %i the menu is proven',
  async (_, menu) => {
    const file = join(temporaryFolder(), 'menu.yaml');
    writeFileSync(file, stringify(menu));
    const { out, code } = await runCommand(['menu', 'check', file], (program, streams) =>
      registerMenu(program, {
        ...streams,
        clock: { now: () => Date.parse('2026-03-06T09:00:00Z') },
        loadWithoutSecrets: () => expect.fail('no configuration'),
      }),
    );
    expect({ out, code }).toEqual({ out: expect.stringMatching(/^ok /), code: 0 });
  },
);

test('the transcript gets its screens by --update, and then is rehearsed to a paid bill', async () => {
  const file = join(folderWith('bill.yaml'), 'bill.yaml');
  const rehearse = (...flags: string[]) =>
    runCommand(['rehearse', file, ...flags], (program, streams) => registerRehearse(program, { ...streams }));
  expect(await rehearse('--update')).toMatchObject({ code: 0, out: expect.stringMatching(/6 updated\n$/) });
  expect(await rehearse()).toMatchObject({ code: 0, out: expect.stringMatching(/^ok .+6 screens, paid\n$/) });
  expect(readFileSync(file, 'utf8')).toContain('      Due GHS 420.00\n');
});

test('the test passes', async () => {
  const folder = folderWith('menu.test.ts');
  const tests: (() => Promise<void>)[] = [];
  const vitest = { expect, test: (_: string, run: () => Promise<void>) => tests.push(run) };
  const jiti = createJiti(pathToFileURL(join(folder, 'menu.test.ts')).href, {
    fsCache: false,
    virtualModules: { 'dialtill/testing': testing, vitest },
  });
  const before = process.cwd();
  process.chdir(folder);
  onTestFinished(() => process.chdir(before));
  await jiti.import(join(folder, 'menu.test.ts'));
  expect(tests).toHaveLength(1);
  for (const run of tests) await run();
});

test('the menu in TypeScript is the same', () => {
  const folder = folderWith('menu.ts');
  const [yaml, program] = ['menu.yaml', 'menu.ts'].map((name) => loadMenu(join(folder, name)));
  expect(program).toMatchObject({ ok: true });
  expect(program).toEqual(yaml);
});
