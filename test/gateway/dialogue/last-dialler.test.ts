import { expect, test } from 'vitest';
import { maxDiallersOfId, turnStore } from '../../../src/gateway/dialogue/turn-store.ts';
import { queryPlansOf } from '../../kit/query-plans.ts';
import { createBench, number } from '../collection/bench.ts';

/* The number that has used a session id last: an end notice without a number ends its session. */

/** A store with the turns of session `s`, and of other sessions beside it. */
function withTurns() {
  const { store, file } = createBench();
  const turns = turnStore(store);
  const key = { channel: 'nalo', session: 's' };
  const write = (dialler: string, sequence: number, session = key.session) =>
    turns.write({
      ...{
        ...key,
        session,
        dialler,
        sequence,
        dialogueId: 'dlg_1',
        merchantId: 'demo-shop',
        operator: 'mtn',
      },
      ...{ input: null, position: null, payer: null, ussdRef: null, ending: null, state: '{}' },
      ...{ reply: 'continue', screen: 'Welcome', collectionId: null, at: 1_000 },
    });
  return { file, turns, key, write, lastDialler: () => turns.lastDialler(key) };
}

test('it is that of the last turn, whatever the order of the numbers and of their turns', async () => {
  const { write, lastDialler } = withTurns();
  expect(await lastDialler()).toBeUndefined();
  for (const [dialler, sequence] of [
    [2, 1],
    [3, 1],
    [2, 2],
    [1, 1],
    [2, 3],
  ] as const) {
    await write(number(dialler), sequence);
    await write(number(9), sequence * 10 + dialler, 'other');
    expect(await lastDialler()).toBe(number(dialler));
  }
});

test('with more numbers than a limit, it is unknown', async () => {
  const { write, lastDialler } = withTurns();
  for (let n = 1; n <= maxDiallersOfId; n++) await write(number(n), 1);
  expect(await lastDialler()).toBe(number(maxDiallersOfId));
  await write(number(0), 1);
  expect(await lastDialler()).toBeUndefined();
});

test('the query reads one turn of each number, by index', async () => {
  const { file, lastDialler } = withTurns();
  const [plan, ...others] = await queryPlansOf(file, lastDialler);
  expect(others).toEqual([]);
  const reads = plan?.steps.filter((step) => /\bturn\b/.test(step));
  expect(reads).toEqual([
    expect.stringContaining('turn_request (channel=? AND session=?)'),
    expect.stringContaining('turn_request (channel=? AND session=? AND dialler>?)'),
    expect.stringContaining('turn_request (channel=? AND session=? AND dialler=?)'),
  ]);
});
