import { PassThrough } from 'node:stream';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { registerLedger } from '../../src/cli/ledger.ts';
import { showShortReference } from '../../src/shared/short-reference.ts';
import { number, openBench } from '../collection/bench.ts';
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

test('find takes a short reference as it is read out: with or without the blank, quoted or not', async () => {
  const { open, file } = openBench();
  const { row } = await open({ reference: 'INV-7' });
  await open({ payer: number(2), reference: 'INV-8' });
  const spoken = showShortReference(row.shortReference ?? '');
  for (const words of [[row.shortReference ?? ''], [spoken], spoken.split(' '), [spoken.replace(' ', '-')]]) {
    const found = JSON.parse(await ledger(file, 'find', ...words, '--json'));
    expect(found.map(({ id }: { id: string }) => id)).toEqual([row.id]);
  }
  const wrong = spoken.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10));
  expect(await ledger(file, 'find', wrong)).toBe(`no collection found for ${wrong}\n`);
});

test('find finds a collection by the reference that the menu asked for, also when it reads like a short one', async () => {
  const { open, file } = openBench();
  const { row } = await open({ shortReference: '48217362', reference: 'A' });
  const { row: like } = await open({ payer: number(2), reference: '48217362' });
  const found = JSON.parse(await ledger(file, 'find', '48217362', '--json'));
  expect(found.map(({ id }: { id: string }) => id).sort()).toEqual([row.id, like.id].sort());
});

test('show tells what a collection is again of, what it was asked again as, and what was agreed to', async () => {
  const { open, end, file } = openBench();
  const { row: first } = await open({ shortReference: '48217362' });
  await end(first, { status: 'failed', reason: 'declined' });
  const { row: second } = await open({ againOf: first.id, reference: 'INV-7', agreedMinor: 2_020 });
  const lines = async (id: string) =>
    Object.fromEntries(
      (await ledger(file, 'show', id))
        .split('\n')
        .flatMap((line) => [/^(\S(?:.{0,10}\S)?) {1,}(\S.*)$/.exec(line)?.slice(1) ?? []])
        .filter((pair) => pair.length === 2),
    );
  expect(await lines(first.id)).toMatchObject({
    short: '4821 7362',
    'again of': '-',
    'asked again': second.id,
    'agreed to': '-',
  });
  expect(await lines(second.id)).toMatchObject({
    short: showShortReference(second.shortReference ?? ''),
    'again of': first.id,
    'asked again': '-',
    'agreed to': 'GHS 20.20',
  });
  expect(await ledger(file, 'show', second.id)).toContain(
    `accepted: GHS 20.00, GHS 20.20 with the fee on the screen, reference INV-7, again of ${first.id}\n`,
  );
  const shown = JSON.parse(await ledger(file, 'show', first.id, '--json'));
  expect(shown).toMatchObject({
    askedAgainAs: second.id,
    collection: { shortReference: '48217362', againOf: null, agreedMinor: null },
  });
});
