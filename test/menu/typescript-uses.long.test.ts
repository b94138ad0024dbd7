import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { aggregators } from '../../src/aggregators/registry.ts';
import { registerMenu } from '../../src/cli/commands/menu/menu.ts';
import { loadConfig } from '../../src/gateway/config/load.ts';
import { createTill, rehearse } from '../../src/testing/index.ts';
import { runCommand } from '../kit/command.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { run } from '../kit/launch.ts';
import { menuIn } from './support.ts';

/*
 * A program can replace a menu file everywhere. `tickets.ts` defines the same menu as the included YAML file.
 */

const tickets = resolve('test/menu/typescript/tickets.ts');
const school = resolve('test/menu/typescript/school.ts');
const written = 'fixtures/menus/tickets.yaml';

const command = (args: readonly string[]) => {
  const rest = {
    loadWithoutSecrets: (file: string) => loadConfig(file, {}, aggregators),
    clock: { now: () => Date.parse('2026-03-06T09:00:00Z') },
  };
  return runCommand(['menu', ...args], (program, streams) => registerMenu(program, { ...rest, ...streams }));
};

test('menu check proves it, with the same result as for YAML', async () => {
  const [checked, same] = [await command(['check', tickets]), await command(['check', written])];
  expect(checked).toEqual({ ...same, out: same.out.replace(written, tickets) });
  expect(checked.code).toBe(0);
});

test('menu check reports its findings with the file and line 1', async () => {
  const { out, code } = await command(['check', tickets, '--limit', '60']);
  expect(code).toBe(1);
  expect(out).toContain(`${tickets}:1 confirm (en): too_long: `);
});

test('menu check has no findings for the program in fixtures', async () => {
  const { out, err, code } = await command(['check', 'fixtures/menus/donations.ts']);
  expect({ err, code }).toEqual({ err: '', code: 0 });
  expect(out).toContain('ok fixtures/menus/donations.ts 10 screens');
});

test('menu graph draws it like the YAML menu', async () => {
  expect(await command(['graph', tickets])).toEqual(await command(['graph', written]));
});

test('a loaded configuration has the handlers next to the menu', () => {
  const secret = 'x'.repeat(24);
  const text = JSON.stringify({
    environment: 'test',
    database: { file: 'till.db' },
    service: { url: 'http://127.0.0.1:9000' },
    merchants: [
      { id: 'one', name: 'One', key: 'sk_test_one0', webhookSecrets: [`${secret}1`], menu: school },
      { id: 'two', name: 'Two', key: 'sk_test_two0', webhookSecrets: [`${secret}2`], menu: resolve(written) },
    ],
    channels: [{ id: 'one', aggregator: 'nalo', secret, serviceCode: '*713*5#', merchant: 'one' }],
  });
  const file = join(temporaryFolder(), 'dialtill.yaml');
  writeFileSync(file, text);
  const { merchants } = loadConfig(file, {}, aggregators);
  expect(merchants.map(({ handlers }) => Object.keys(handlers))).toEqual([['student'], []]);
  expect(merchants.map(({ menu }) => menu)).toEqual([menuIn(school), menuIn(written)]);
});

test('a till serves it', async () => {
  const till = await createTill({ menu: tickets, merchant: 'City Museum' });
  onTestFinished(() => till.close());
  const phone = till.phone('0244123456');
  await phone.dial();
  expect(await phone.send('3')).toMatchObject({ text: 'Open daily 9:00 to 17:00.' });
});

test('a transcript of the YAML menu passes with it', async () => {
  const file = join(temporaryFolder(), 'session.yaml');
  const session = readFileSync('fixtures/sessions/tickets-own.yaml', 'utf8');
  writeFileSync(file, session.replace('../menus/tickets.yaml', tickets));
  expect(await rehearse(file, { allowPrograms: true })).toMatchObject({
    ok: true,
    status: 'paid',
    differences: [],
    errors: [],
  });
});

test('a gateway that runs from its sources resolves dialtill/menu for a menu outside its sources', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'menu.ts'), readFileSync(tickets, 'utf8').replace('./prices.ts', './prices'));
  writeFileSync(join(folder, 'prices.ts'), readFileSync('test/menu/typescript/prices.ts', 'utf8'));
  const cli = [process.execPath, '--import', import.meta.resolve('tsx'), resolve('src/cli/main.ts')] as const;
  const { code, stdout, stderr } = await run(cli, ['menu', 'check', 'menu.ts'], folder);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^ok menu\.ts 7 screens/);
});
