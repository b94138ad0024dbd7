import { PassThrough } from 'node:stream';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { registerLedger } from '../../src/cli/ledger.ts';
import { rawSession, walkSession } from '../support/callback.ts';
import { openTill } from '../support/till.ts';

/** Runs `dialtill ledger …` beside whoever writes the file, and returns what it prints. */
async function ledger(file: string, ...args: string[]): Promise<string> {
  let out = '';
  const stdout = new PassThrough();
  stdout.on('data', (chunk) => {
    out += chunk;
  });
  const program = new Command('dialtill');
  registerLedger(program, { stdout, noColor: true, databaseFile: () => file, exit: () => {} });
  await program.parseAsync(['ledger', ...args], { from: 'user' });
  return out;
}

test("show prints each turn with the aggregator's reference, and how the network says the session ended", async () => {
  const till = await openTill();
  const payer = '0244123456';
  const session = rawSession(till, payer, 'wigal-v1', { session: 'w-1' });
  await walkSession(till, session, ['1', '20', '1']);
  await session.leave(['1', '20', '1']);
  const { id, reference } = await till.only(payer);
  const file = till.config.database.file;

  const printed = await ledger(file, 'show', id);
  const story = printed.slice(printed.indexOf('timeline')).split('\n');
  const of = (kind: string) => story.flatMap((line) => new RegExp(` ${kind} +(.*)$`).exec(line)?.[1] ?? []);
  expect(of('payer')).toEqual([
    "dialled (aggregator's reference w-1-1)",
    "typed 1 (aggregator's reference w-1-2)",
    "typed 20 (aggregator's reference w-1-3)",
    "typed 1 (aggregator's reference w-1-4)",
  ]);
  expect(of('screen')).toHaveLength(4);
  expect(of('notice')).toEqual(['the network says: session ended']);
  expect(of('status')).toEqual([`accepted: GHS 20.00, reference ${reference}`]);

  const { timeline } = JSON.parse(await ledger(file, 'show', id, '--json'));
  expect(timeline).toContainEqual({
    at: till.clock.now(),
    kind: 'notice',
    text: 'the network says: session ended',
  });
});
