import { PassThrough } from 'node:stream';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { commands } from '../../src/cli/commands.ts';
import { protectOutput } from '../../src/cli/terminal/output.ts';
import { accountList } from '../../src/contract/staff/account.ts';
import { endpointList, merchantKeyList } from '../../src/contract/staff/merchant-system.ts';
import { reviewList } from '../../src/contract/staff/review.ts';
import { createTill } from '../kit/till.ts';
import { programContext as context } from './support.ts';

const shape = ['data', 'next', 'total'];
const payer = '0244123456';

/** The lists that read a database file, with their arguments. */
const ofDatabase: Record<string, string[]> = {
  'ledger list': [],
  'ledger reviews': [],
  'ledger find': [payer],
  'ledger audit': [],
  'unplaced list': [],
  'unplaced events': [],
  'block list': [],
  'sessions find': [payer],
};
const withoutFile = ['aggregators', 'service numbers'];
/** The tests of these commands check the shape: they need a configuration or a server. */
const elsewhere = [
  ...[
    'review list',
    'review proposals',
    'channels',
    'prompts',
    'statement list',
    'merchant endpoints list',
    'merchant keys list',
    'staff list',
  ],
];
/** Values that some lists have besides the shape. */
const additional = ['sumMinor', 'notSearched', 'unplaced', 'suspendedMinor'];

async function keysOf(name: string, args: readonly string[]): Promise<string[]> {
  const entry = commands.find((one) => one.name === name.split(' ')[0]);
  const program = new Command('dialtill').exitOverride();
  const stream = new PassThrough();
  await entry?.register(program, { ...context, stdout: protectOutput(stream) });
  await program.parseAsync([...name.split(' '), ...args, '--json'], { from: 'user' });
  return Object.keys(JSON.parse(String(stream.read()))).filter((key) => !additional.includes(key));
}

type Leaf = { name: string; description: string };

function leavesOf(command: Command, description: string, above = ''): Leaf[] {
  const name = `${above}${command.name()}`;
  const parts = command.commands.flatMap((part) => leavesOf(part, part.description(), `${name} `));
  return parts.length > 0 ? parts : [{ name, description }];
}

test('every list of the command line has the same shape with --json', async () => {
  const till = await createTill();
  await till.prompted(payer);
  for (const [name, args] of Object.entries(ofDatabase)) {
    const keys = await keysOf(name, [...args, '--db', till.config.database.file]);
    expect(keys.sort(), name).toEqual(shape);
  }
  for (const name of withoutFile) expect((await keysOf(name, [])).sort(), name).toEqual(shape);
  for (const { shape: keys } of [reviewList, endpointList, merchantKeyList, accountList])
    expect(Object.keys(keys).sort()).toEqual(shape);
});

test('a new list is in the test of the shape', async () => {
  const lists: string[] = [];
  for (const { description, register } of commands) {
    const program = new Command('dialtill');
    await register(program, context);
    for (const leaf of program.commands.flatMap((command) => leavesOf(command, description)))
      if (/^(list|find) /.test(leaf.description)) lists.push(leaf.name);
  }
  // The lists of the service print the pages of its API, which have a test of their own.
  const own = lists.filter((name) => name === 'service numbers' || !name.startsWith('service '));
  expect(own.sort()).toEqual([...Object.keys(ofDatabase), ...withoutFile, ...elsewhere].sort());
});
