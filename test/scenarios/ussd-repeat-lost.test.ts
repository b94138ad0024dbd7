import { describe, expect, test } from 'vitest';
import { aggregatorNames } from '../../src/aggregators/registry.ts';
import { rowsOf } from '../kit/size.ts';
import { createTill } from '../kit/till.ts';

const payer = '0244123456';
const minute = 60_000;

/** Every request of Kairos has the mark of a first one, so that an input without a live session opens a dialogue. */
const opening = 'kairos';

test('S01: an input that opens a dialogue after its session has ended gets the same bytes when it is repeated', async () => {
  const till = await createTill();
  const session = till.session(payer, opening);
  await session.send([]);
  await till.clock.advance(2_500);
  await session.send(['1']);
  await till.clock.skip(10 * minute);
  const first = await session.send(['1', '20']);
  expect(first.body).toContain('1. Pay with this number');
  for (const later of [300, 900]) {
    await till.clock.advance(later);
    expect(await session.send(['1', '20'])).toEqual(first);
  }
});

const channels = rowsOf(aggregatorNames, 3);

describe.each(channels.filter((channel) => channel !== opening))('through %s', (channel) => {
  test('S01: an input after its session has ended gets the same bytes each time, also from the next process', async () => {
    const till = await createTill();
    const session = till.session(payer, channel);
    await session.send([]);
    await till.clock.advance(2_500);
    await session.send(['1']);
    await till.clock.skip(10 * minute);
    const first = await session.send(['1', '20']);
    expect(first.body).toContain('Session ended');
    for (const later of [300, 900, minute]) {
      await till.clock.advance(later);
      expect(await session.send(['1', '20'])).toEqual(first);
    }
    await till.restart();
    await till.clock.advance(minute);
    expect(await session.send(['1', '20'])).toEqual(first);
  });

  test('S01: a request whose screen is not stored gets the same bytes when it is repeated', async () => {
    // An input of a session that the gateway has not seen, or a dial where the input is cumulative.
    const till = await createTill();
    const session = till.session(payer, channel);
    const first = await session.send(['7']);
    expect(first.status).toBe(200);
    await till.clock.advance(900);
    expect(await session.send(['7'])).toEqual(first);
  });
});
