import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { registerStatement } from '../../src/cli/commands/statement.ts';
import { type StaffName, staffActions, withStaff } from '../kit/staff.ts';
import { runAs } from '../kit/staff-command.ts';
import { fetchStatement } from '../kit/statement.ts';
import { createTill, type Till } from '../kit/till.ts';

const date = '2026-03-06';

const run = (till: Till, args: readonly string[], name: StaffName = 'kofi') =>
  runAs(till, name, ['statement', ...args, '--merchant', 'demo-shop'], registerStatement);

test('a file is imported, its differences are listed with an exit code, and explained', async () => {
  const till = await createTill({ configure: withStaff });
  await till.paidPayment('0244123456');
  await till.paidPayment('0244123457');
  await till.clock.advance(86_400_000);
  const csv = await fetchStatement(till, date);
  const file = join(till.folder, `statement-${date}.csv`);
  writeFileSync(file, csv.replace('20.20', '20.30'));
  const imported = await run(till, ['import', file]);
  expect(imported.code).toBe(3);
  expect(imported.out).toContain(`imported the statement of demo-shop on ${date}\n`);
  expect(imported.out).toContain(
    'books GHS 40.40, statement GHS 40.50 in 2 payments: 1 difference, 1 without an explanation\n',
  );
  const id = /dif_\w+/.exec(imported.out)?.[0] ?? '';
  expect(imported.out).toMatch(
    new RegExp(`${id} +amount +pay_\\w+ +GHS 20\\.20 +GHS 20\\.30 +The service charged another amount`),
  );
  const json = await run(till, ['list', '--date', date, '--json'], 'efua');
  expect([json.code, JSON.parse(json.out)]).toMatchObject([
    3,
    { unexplained: 1, differences: [{ id, kind: 'amount' }] },
  ]);
  const explained = await run(till, [
    'explain',
    id,
    '--date',
    date,
    '--text',
    'a typing error of the service',
  ]);
  expect([explained.code, explained.out]).toEqual([
    0,
    expect.stringContaining('kofi: a typing error of the service'),
  ]);
  writeFileSync(file, csv);
  const replaced = await run(till, ['import', file]);
  expect([replaced.code, replaced.out]).toEqual([0, expect.stringContaining('replaced the statement')]);
  expect((await run(till, ['import', file])).out).toContain('already imported the statement');
  expect((await staffActions(till)).map(({ action }) => action)).toEqual([
    ...['import_statement', 'explain_difference', 'import_statement'],
  ]);
});

test('a file that is none, a day that is none, and a person who closes no days are refused', async () => {
  const till = await createTill({ configure: withStaff });
  const file = join(till.folder, 'march.csv');
  writeFileSync(file, Buffer.from([0xff, 0xfe, 0x00]));
  const refused = async (args: readonly string[], name?: StaffName) => {
    const { code, err } = await run(till, args, name);
    return [code, err.trim()];
  };
  expect(await refused(['import', file])).toEqual([
    1,
    '--date: name the day, such as --date 2026-03-06; the name march.csv has none',
  ]);
  expect(await refused(['import', file, '--date', date])).toEqual([
    1,
    `cannot read ${file}: expected a text in UTF-8`,
  ]);
  expect(await refused(['list', '--date', '2026-02-30'])).toEqual([
    1,
    expect.stringContaining('found 2026-02-30'),
  ]);
  writeFileSync(file, 'a,b\n');
  expect(await refused(['import', file, '--date', date])).toEqual([
    1,
    expect.stringContaining('line 1: expected the columns'),
  ]);
  expect(await refused(['import', file, '--date', date], 'ama')).toEqual([
    1,
    expect.stringContaining('the role lead may not do this'),
  ]);
});
