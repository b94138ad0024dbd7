import type { DayTotals } from '../../../contract/staff/staff.ts';
import {
  type ClosedStatement,
  closeDayInput,
  type DayCloseView,
  maxListedDifferences,
} from '../../../contract/staff/statement.ts';
import { staffActionWrite } from '../../access/action-store.ts';
import type { DaySums } from '../../collection/store/sums-query.ts';
import { readDay } from '../../ledger/day.ts';
import type { Comparison } from '../../service-statement/comparison-query.ts';
import { closeGuardWrite } from '../day-close-query.ts';
import { defineOperation, refuse, type StaffAnswer, type StaffDeps } from '../operation.ts';
import { merchantSubject } from '../subjects.ts';
import { listUnexplained } from './statements.ts';

/**
 * Closes a day of a merchant: records that the books agree with its totals, and with the statement of the service or without one. The
 * day must be over, without open payments, payments to decide and unexplained differences, and the totals and the statement must be those
 * that the person saw. When they change later, the day can be closed again.
 */
export const closeDay = defineOperation({
  route: 'POST /days/:id/close',
  permission: 'days.close',
  input: closeDayInput,
  subject: merchantSubject,
  async run(
    { days, statements, collections, clock, livemode }: StaffDeps,
    { actor, id: date, input: { merchantId, totals, digest } },
  ): Promise<StaffAnswer<DayCloseView>> {
    const span = readDay(date);
    if (!span) return refuse('invalid_request', 'expected a day such as 2026-03-06');
    const now = clock.now();
    if (now < span.to) return refuse('conflict', `${date} is not over: close it after midnight UTC`);
    const sums = await days.sum({ merchantId, livemode }, span);
    const comparison = await statements.reader.by(actor).statement({ merchantId, livemode, date });
    const obstacle = findObstacle(sums, comparison);
    if (obstacle !== undefined) return refuse('conflict', `${date} cannot be closed: ${obstacle}`);
    const current = getTotals(sums);
    if (!isSame(current, totals))
      return refuse('conflict', `the totals of ${date} are not the ones that you saw: look at the day again`);
    if (digest !== undefined && digest !== (comparison?.digest ?? null))
      return refuse(
        'conflict',
        `the statement of ${date} is not the one that you saw: look at the day again`,
      );
    const statement = toClosed(comparison);
    const closed = (await days.closes(livemode, date)).find((one) => one.merchantId === merchantId);
    if (closed && isSame(closed.totals, current) && closed.digest === (statement?.digest ?? null))
      return refuse('conflict', `${closed.actor} has closed ${date} with these totals`);
    const subject = { kind: 'day', id: date, merchantId, livemode } as const;
    const basis = { digest: comparison?.digest ?? null, lastSeq: closed?.seq ?? 0 };
    const isStored = await collections.apply([
      closeGuardWrite({ merchantId, livemode, date, ...basis }),
      staffActionWrite({ actor, action: 'close_day', subject, detail: { ...current, statement } }, now),
    ]);
    if (!isStored)
      return refuse('conflict', `another person has just changed ${date}: look at the day again`);
    const at = new Date(now).toISOString();
    return { ok: true, value: { date, merchantId, actor: actor.name, at, totals: current, statement } };
  },
});

/** Returns why a day cannot be closed, with its numbers; undefined when it can. */
function findObstacle(
  { open, toDecide }: Pick<DaySums, 'open' | 'toDecide'>,
  comparison: Comparison | undefined,
): string | undefined {
  const unexplained = comparison ? listUnexplained(comparison).length : 0;
  const parts = [
    ...(open > 0 ? [`open payments: ${open}`] : []),
    ...(toDecide > 0 ? [`payments to decide: ${toDecide}`] : []),
    ...(unexplained > 0 ? [`differences from the statement without an explanation: ${unexplained}`] : []),
  ];
  return parts.length === 0 ? undefined : parts.join(', ');
}

function toClosed(comparison: Comparison | undefined): ClosedStatement {
  if (!comparison) return null;
  const { digest, sessions, statementMinor, differences } = comparison;
  return {
    ...{ digest, sessions, statementMinor, different: differences.length },
    differences: differences.slice(0, maxListedDifferences).map(({ id, kind, sessionId, explanation }) => ({
      ...{ id, kind, sessionId, explanation: explanation?.text ?? '' },
    })),
  };
}

function getTotals({ opened, paid, notPaid, chargedMinor, feeMinor, netMinor }: DaySums): DayTotals {
  return { opened, paid, notPaid, chargedMinor, feeMinor, netMinor };
}

function isSame(one: DayTotals, other: DayTotals): boolean {
  return Object.keys(one).every((name) => one[name as keyof DayTotals] === other[name as keyof DayTotals]);
}
