import { expect, test } from 'vitest';
import type { Clock } from '../../src/shared/clock.ts';
import { paidInFull } from '../kit/scenes.ts';
import { createTill } from '../kit/till.ts';

const payer = '0244123456';
const minute = 60_000;

/** Creates a till whose gateway's system clock is wrong by this time. */
const wrongBy = (ms: number) => ({
  overrides: (clock: Clock) => ({ clock: { now: () => clock.now() + ms, sleep: clock.sleep } }),
});

test.each([-10, 10])(
  'S36: with a clock that is wrong by %i minutes, webhooks trigger polls, polls decide, and an alarm is raised',
  async (minutes) => {
    const till = await createTill(wrongBy(minutes * minute));
    await till.prompted();
    expect(till.alarms()).toEqual([]);
    await till.clock.advance(62_000);
    const polls = till.callsOf('status');
    await till.approve();
    // The stale event brings the next poll forward by up to a minute.
    const row = await till.untilStatus(payer, 'paid', 3_000);
    expect(till.callsOf('status')).toBe(polls + 1);
    expect(row).toMatchObject({ amountSource: 'quote', review: null, late: 0 });
    expect(await till.inbox()).toMatchObject([{ state: 'hint', sessionId: row.sessionId }]);
    expect(till.alarms()).toEqual(['stale_webhook']);
    await till.clock.advance(10 * minute);
    // The event is acknowledged, so it is not sent again, and there is one alarm.
    expect(till.alarms()).toEqual(['stale_webhook']);
    expect(await till.booked(row.id)).toEqual(paidInFull);
    expect(await till.service.statement()).toMatchObject({ pushes: 1, chargedMinor: 2_020 });
    expect((await till.verify()).faults).toEqual([]);
  },
);

test.each([-4, 4])('S36: a difference of %i minutes is within the tolerance', async (minutes) => {
  const till = await createTill(wrongBy(minutes * minute));
  expect(await till.paidPayment(payer, 3_000)).toMatchObject({ amountSource: 'webhook' });
  expect(await till.inbox()).toMatchObject([{ state: 'handled' }]);
  expect(till.alarms()).toEqual([]);
});
