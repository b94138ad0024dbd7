import { describe, expect, test } from 'vitest';
import type { LookupHandler } from '../../../src/menu/effects/lookup.ts';
import { testClock } from '../../kit/clock.ts';
import { createLookupBench, lookupRequest } from './support.ts';

const none = { kind: 'none' } as const;
const budgetMs = 1_500;

/** Creates lookups of a merchant with a handler, on a test clock. */
function createHandled(handler: LookupHandler) {
  const clock = testClock();
  const bench = createLookupBench(clock);
  const ask = (id = 'demo', lookup = 'fees', ms = budgetMs) =>
    bench.lookups.ask({ id, handlers: { fees: handler } }, { request: { ...lookupRequest, lookup } }, ms);
  return { clock, ask, ...bench };
}

/** Creates a handler that never answers, and counts its calls and aborts. */
function silent() {
  const seen = { asked: 0, aborted: 0 };
  const handler: LookupHandler = (_, { signal }) => {
    seen.asked += 1;
    signal.addEventListener('abort', () => {
      seen.aborted += 1;
    });
    return new Promise(() => {});
  };
  return { seen, handler };
}

describe('a handler of a program menu', () => {
  test('receives the request, and its result is found', async () => {
    let got: unknown;
    const { ask, outcomes } = createHandled(async (question) => {
      got = question;
      return { student: 'Ama', due: 12_000 };
    });
    expect(await ask()).toEqual({ kind: 'found', fields: { student: 'Ama', due: 12_000 } });
    expect(got).toEqual(lookupRequest);
    expect(outcomes).toEqual(['found']);
  });

  test.each([undefined, null])('that returns %s is not_found', async (nothing) => {
    const { ask } = createHandled(async () => nothing);
    expect(await ask()).toEqual({ kind: 'not_found' });
  });

  test.each<[string, LookupHandler]>([
    ['throws', () => Promise.reject(new Error('no row for Kofi 0244123456'))],
    [
      'throws before it waits',
      () => {
        throw new TypeError('no row for Kofi 0244123456');
      },
    ],
    ['gives a text', async () => 'Kofi'],
    ['gives a list', async () => ['Kofi']],
  ])('that %s returns none, and its message is not logged', async (_, handler) => {
    const { ask, outcomes, logged } = createHandled(handler);
    expect(await ask()).toEqual(none);
    expect(outcomes).toEqual(['invalid_response']);
    expect(logged()).not.toMatch(/Kofi|244123456/);
  });

  test('that throws is logged with its source position', async () => {
    const { ask, logged } = createHandled(() => Promise.reject(new Error('no')));
    await ask();
    expect(logged()).toMatch(/"detail":"threw at [^"]*call-handler\.test\.ts:\d+:\d+"/);
  });

  test('that is too slow returns none at the end of the budget, and its signal aborts', async () => {
    const { seen, handler } = silent();
    const { ask, clock, outcomes } = createHandled(handler);
    const asking = ask();
    await clock.advance(budgetMs - 1);
    expect([seen.aborted, outcomes.length]).toEqual([0, 0]);
    await clock.advance(1);
    expect(await asking).toEqual(none);
    expect([seen.aborted, outcomes]).toEqual([1, ['timeout']]);
  });

  test('that fails because of its signal is a timeout', async () => {
    const { ask, clock, outcomes } = createHandled(
      (_, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    );
    const asking = ask();
    await clock.advance(budgetMs);
    expect(await asking).toEqual(none);
    expect(outcomes).toEqual(['timeout']);
  });

  test('that does not exist returns none, whatever its name', async () => {
    const { ask, outcomes } = createHandled(async () => ({}));
    for (const lookup of ['other', 'toString', '__proto__']) expect(await ask('demo', lookup)).toEqual(none);
    expect(outcomes).toEqual(['unreachable', 'unreachable', 'unreachable']);
  });
});

describe('lookups in flight', () => {
  test('are at most 64 for each merchant: the next returns none at once, and other merchants are asked', async () => {
    const { seen, handler } = silent();
    const { ask, clock, outcomes } = createHandled(handler);
    const under = Array.from({ length: 64 }, () => ask());
    expect(await ask()).toEqual(none);
    expect(outcomes).toEqual(['busy']);
    under.push(ask('other'));
    expect(seen.asked).toBe(65);
    await clock.advance(budgetMs);
    expect(await Promise.all(under)).toEqual(Array(65).fill(none));
    // The slots are free again, so the next lookup runs.
    const next = ask();
    expect(seen.asked).toBe(66);
    await clock.advance(budgetMs);
    await next;
  });

  test('of eight slow merchants leave quota for another one', async () => {
    const { seen, handler } = silent();
    const { ask, clock } = createHandled(handler);
    const under = Array.from({ length: 8 * 64 }, (_, n) => ask(`slow-${Math.floor(n / 64)}`));
    const before = seen.asked;
    under.push(ask('other'));
    expect(seen.asked).toBe(before + 1);
    await clock.advance(budgetMs);
    await Promise.all(under);
  });

  test('are at most 256 in total', async () => {
    const { seen, handler } = silent();
    const { ask, clock, outcomes } = createHandled(handler);
    const under = Array.from({ length: 256 }, (_, n) => ask(`shop-${n}`));
    expect(await ask('other')).toEqual(none);
    expect(outcomes).toEqual(['busy']);
    expect(seen.asked).toBe(256);
    await clock.advance(budgetMs);
    await Promise.all(under);
  });
});

describe('a peer without responses', () => {
  test('delays five payers, then one at a time, and no payer after it responds again', async () => {
    let hangs = true;
    let count = 0;
    const { ask, clock, outcomes } = createHandled(async () => {
      count += 1;
      return hangs ? new Promise(() => {}) : { student: 'Ama' };
    });
    for (let n = 0; n < 5; n++) {
      const asking = ask();
      await clock.advance(budgetMs);
      await asking;
    }
    const trying = ask();
    expect(await Promise.all([ask(), ask(), ask()])).toEqual([none, none, none]);
    expect(outcomes.slice(5)).toEqual(['open_circuit', 'open_circuit', 'open_circuit']);
    expect(count).toBe(6);
    await clock.advance(budgetMs);
    expect(await trying).toEqual(none);

    hangs = false;
    expect(await ask()).toMatchObject({ kind: 'found' });
    const all = await Promise.all(Array.from({ length: 20 }, () => ask()));
    expect(all).toEqual(Array(20).fill({ kind: 'found', fields: { student: 'Ama' } }));
  });

  test('affects no other merchant and no other lookup', async () => {
    const { handler } = silent();
    const clock = testClock();
    const { lookups } = createLookupBench(clock);
    const handlers = { fees: handler, hostel: async () => ({ room: 'B4' }) };
    const ask = (id: string, lookup: string) =>
      lookups.ask({ id, handlers }, { request: { ...lookupRequest, lookup } }, budgetMs);
    const hung = Array.from({ length: 5 }, () => ask('demo', 'fees'));
    await clock.advance(budgetMs);
    await Promise.all(hung);
    const trying = ask('demo', 'fees');
    expect(await ask('demo', 'fees')).toEqual(none);
    expect(await ask('demo', 'hostel')).toMatchObject({ kind: 'found' });
    const other = ask('other', 'fees');
    await clock.advance(budgetMs);
    expect(await Promise.all([trying, other])).toEqual([none, none]);
  });
});
