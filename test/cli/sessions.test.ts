import { expect, test } from 'vitest';
import { registerSessions } from '../../src/cli/commands/sessions.ts';
// Loaded before the clock advances.
import '../../src/gateway/support/reads.ts';
import '../../src/gateway/support/session-query.ts';
import { runCommand } from '../kit/command.ts';
import { queryPlansOf } from '../kit/query-plans.ts';
import { createTill, type Till } from '../kit/till.ts';

const payer = '0244123456';

const sessions = (till: Till, args: readonly string[], ended: Promise<unknown> = Promise.resolve()) =>
  runCommand(['sessions', ...args], (program, { stdout }) =>
    registerSessions(program, {
      ...{ stdout, clock: till.clock, ended: () => ended },
      database: () => ({ file: till.config.database.file }),
    }),
  );

const find = async (till: Till, ...args: string[]) =>
  JSON.parse((await sessions(till, ['find', payer, '--json', ...args])).out);

/** Four dialogues of one phone: left at a screen, refused, ended by the aggregator, and confirmed. */
async function dialFourTimes(till: Till): Promise<void> {
  await till.pay(payer, ['1']);
  await till.clock.advance(10 * 60_000);
  await till.pay(payer, ['1', '20', '2']);
  await till.clock.advance(10 * 60_000);
  const raw = till.session(payer, 'wigal-v1', { session: 'w-1' });
  await raw.walk(['1']);
  await raw.leave(['1']);
  await till.clock.advance(10 * 60_000);
  await till.pay(payer);
}

test('find lists the dialogues of a phone, newest first, with how each one ended', async () => {
  const till = await createTill();
  await dialFourTimes(till);
  const { data, total, next } = await find(till);
  expect(data.map(({ end }: { end: string }) => end)).toEqual([
    'confirmed',
    'aggregator_ended',
    'cancelled',
    'unanswered',
  ]);
  expect([total, next]).toEqual([data.length, null]);
  expect(data[0].collectionId).toMatch(/^col_/);
  expect(data.slice(1).map(({ collectionId }: { collectionId: null }) => collectionId)).toEqual([
    null,
    null,
    null,
  ]);
  expect(data[3]).toMatchObject({ screens: 2, lastScreen: expect.stringContaining('Amount in GHS') });
  expect((await find(till, '--unconfirmed')).data).toHaveLength(3);
  const first = await find(till, '--limit', '1');
  expect(first).toMatchObject({ data: [{ end: 'confirmed' }], total: data.length });
  expect((await find(till, '--after', first.next)).data).toEqual(data.slice(1));
  const { out } = await sessions(till, ['find', payer, '--limit', '2']);
  expect(out).toContain('  The aggregator ended it  ');
  expect(out.endsWith(`\nnext page: --after ${data[1].dialogueId}\n`)).toBe(true);
  expect((await sessions(till, ['find', '0201234567'])).out).toBe('no dialogue found for 0201234567\n');
});

test('show prints every screen and input of a dialogue without a payment', async () => {
  const till = await createTill();
  await till.pay(payer, ['1', '20', '2']);
  const { data } = await find(till);
  const id = data[0].dialogueId;
  const { out } = await sessions(till, ['show', id]);
  expect(out).toContain(`dialogue         ${id}\nend              The caller chose No\n`);
  expect(out).toContain('collection       none: no payment was confirmed\n');
  expect(out).toMatch(/dialler {2}entered 20$/m);
  expect(out).toContain('Cancelled. Nothing was paid. (END)');
  const shown = JSON.parse((await sessions(till, ['show', id, '--json'])).out);
  expect(shown.turns).toHaveLength(4);
  expect(Object.keys(shown.turns[0])).not.toContain('state');
  const unknown = await sessions(till, ['show', 'dlg_1']);
  expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('no dialogue dlg_1')]);
});

test('tail prints each new turn once, and ends with 0 when it is asked to', async () => {
  const till = await createTill();
  await till.pay(payer, ['1']);
  const { promise: ended, resolve: stop } = Promise.withResolvers<void>();
  const tail = sessions(till, ['tail', '--last', '1'], ended);
  await till.clock.advance(3_000);
  await till.pay('0201234567', ['1']);
  await till.clock.advance(3_000);
  stop();
  await till.clock.advance(1_000);
  const { out, code } = await tail;
  expect(code).toBe(0);
  expect(out.match(/^\d{10} /gm)).toEqual(['0244123456 ', '0201234567 ', '0201234567 ']);
});

test('sessions are found by indexes', async () => {
  const till = await createTill();
  await till.pay(payer);
  const { data } = await find(till);
  const plans = await queryPlansOf(till.config.database.file, async () => {
    await find(till);
    await sessions(till, ['show', data[0].dialogueId]);
    await sessions(till, ['tail', '--last', '5'], new Promise((resolve) => setImmediate(resolve)));
  });
  const steps = plans.flatMap((plan) => plan.steps);
  expect(steps.filter((step) => /^SCAN (turn|collection)/.test(step))).toEqual([]);
  expect(steps.some((step) => step.includes('turn_phone (dialler=?)'))).toBe(true);
});
