import { closeDayInput, type DayCloseView, type DayTotals } from '../../../contract/staff/staff.ts';
import { staffActionWrite } from '../../access/action-store.ts';
import type { DaySums } from '../../collection/store/sums-query.ts';
import { readDay } from '../../ledger/day.ts';
import { defineOperation, refuse, type StaffAnswer, type StaffDeps } from '../operation.ts';
import { merchantSubject } from '../subjects.ts';

/**
 * Closes a day of a merchant: records that the books agree with its totals. The day must be over, without open payments and without
 * payments to decide, and the totals must be those that the person saw. When they change later, the day can be closed again.
 */
export const closeDay = defineOperation({
  route: 'POST /days/:id/close',
  permission: 'days.close',
  input: closeDayInput,
  subject: merchantSubject,
  async run(
    { days, collections, clock, livemode }: StaffDeps,
    { actor, id: date, input: { merchantId, totals } },
  ): Promise<StaffAnswer<DayCloseView>> {
    const span = readDay(date);
    if (!span) return refuse('invalid_request', 'expected a day such as 2026-03-06');
    const now = clock.now();
    if (now < span.to) return refuse('conflict', `${date} is not over: close it after midnight UTC`);
    const sums = await days.sum({ merchantId, livemode }, span);
    const obstacle = findObstacle(sums);
    if (obstacle !== undefined) return refuse('conflict', `${date} cannot be closed: ${obstacle}`);
    const current = getTotals(sums);
    if (!isSame(current, totals))
      return refuse('conflict', `the totals of ${date} are not the ones that you saw: look at the day again`);
    const closed = (await days.closes(livemode, date)).find((one) => one.merchantId === merchantId);
    if (closed && isSame(closed.totals, current))
      return refuse('conflict', `${closed.actor} has closed ${date} with these totals`);
    const subject = { kind: 'day', id: date, merchantId, livemode } as const;
    await collections.apply([
      staffActionWrite({ actor, action: 'close_day', subject, detail: current }, now),
    ]);
    return {
      ok: true,
      value: { date, merchantId, actor: actor.name, at: new Date(now).toISOString(), totals: current },
    };
  },
});

/** Returns why a day cannot be closed, with its numbers; undefined when it can. */
function findObstacle({ open, toDecide }: DaySums): string | undefined {
  const parts = [
    ...(open > 0 ? [`open payments: ${open}`] : []),
    ...(toDecide > 0 ? [`payments to decide: ${toDecide}`] : []),
  ];
  return parts.length === 0 ? undefined : parts.join(', ');
}

function getTotals({ opened, paid, notPaid, chargedMinor, feeMinor, netMinor }: DaySums): DayTotals {
  return { opened, paid, notPaid, chargedMinor, feeMinor, netMinor };
}

function isSame(one: DayTotals, other: DayTotals): boolean {
  return Object.keys(one).every((name) => one[name as keyof DayTotals] === other[name as keyof DayTotals]);
}
