import { expect, test } from 'vitest';
import { staffActionWrite } from '../../src/gateway/access/action-store.ts';
import { systemActor } from '../../src/gateway/access/actor.ts';
import { dayMs, readDay, showDay } from '../../src/gateway/ledger/day.ts';
import { allMerchants } from '../../src/gateway/support/scope.ts';
import { createReads } from '../../src/gateway/wiring/reads.ts';
import { createDatabase, openPostgres } from '../kit/postgres.ts';
import { openingOf } from './gateway.ts';

test('the lists of the console read a database of PostgreSQL', async () => {
  const store = await openPostgres(await createDatabase());
  await store.apply(openingOf('0244123456'));
  const reader = createReads(store);
  const page = { limit: 2 };
  const list = await reader.list(allMerchants, {}, page);
  const [row] = list === 'unknown_cursor' ? [] : list.data;
  if (!row) throw new Error('no payment was written');
  const { id, openedAt, merchantId } = row;
  const date = showDay(Math.floor(openedAt / dayMs));
  const totals = { opened: 1, paid: 0, notPaid: 0, chargedMinor: 0, feeMinor: 0, netMinor: 0 };
  const of = { merchantId, livemode: 0 };
  await store.apply([
    staffActionWrite(
      {
        actor: systemActor('ama'),
        action: 'assign',
        subject: { kind: 'collection', id, ...of },
        detail: { to: 'efua' },
      },
      openedAt,
    ),
    staffActionWrite(
      {
        actor: systemActor('yaw'),
        action: 'close_day',
        subject: { kind: 'day', id: date, ...of },
        detail: totals,
      },
      openedAt,
    ),
    staffActionWrite(
      {
        ...{
          actor: systemActor('ama'),
          action: 'block',
          subject: { kind: 'phone', id: '233244123456', ...of },
        },
        detail: { role: 'dialler', reason: 'x', until: null },
      },
      openedAt,
    ),
    { sql: "UPDATE collection SET review = 'no_outcome' WHERE id = ?", args: [id], rows: 1 },
  ]);
  const at = { livemode: 0, now: openedAt + 5 * 3_600_000 } as const;
  const span = { ...at, since: 0 };
  const merchantIds = [merchantId, 'other-shop'];

  expect((await reader.needs({ name: 'efua', ...at })).reviews).toEqual({
    ...{ count: 1, oldestAt: openedAt, sumMinor: 2_000 },
  });
  const desk = await reader.desk({
    kinds: ['reviews', 'overdue', 'unplaced', 'endpoints'],
    ...{ ...at, limit: 2 },
  });
  expect(desk).toMatchObject({ counts: { reviews: [0, 0, 1, 0, 0] }, takenBy: { [id]: 'efua' } });
  expect(await reader.list(allMerchants, { assigned: 'efua' }, page)).toMatchObject({ data: [{ id }] });
  expect(await reader.list(allMerchants, { assigned: 'ama' }, page)).toMatchObject({ data: [] });
  expect(await reader.deadEvent({ merchantId, eventId: 'evt_none', livemode: 0 })).toBe(undefined);
  expect(await reader.refusedDiallers(span)).toEqual({ data: [], isCut: false });
  expect((await reader.dialler(id, span))?.blocks).toHaveLength(1);
  const blocks = await reader.blocks({ now: at.now, limit: 2 });
  expect(blocks).toMatchObject({ total: 1, next: null });
  expect(await reader.block(blocks.data[0]?.seq ?? 0, at.now)).toMatchObject({ msisdn: '233244123456' });
  expect(await reader.days(allMerchants, { ...at, merchantIds })).toContainEqual({
    ...{ date, merchants: 1, closed: 1, open: 1, toDecide: 1 },
  });
  expect(await reader.unclosedDays({ ...at, merchantIds })).toEqual({ count: 0, oldestAt: null });
  const day = readDay(date);
  if (!day) throw new Error(`no day ${date}`);
  expect(await reader.day(allMerchants, 0, date, day)).toMatchObject({
    ...{ sums: [{ merchantId, opened: 1, toDecide: 1 }], closes: [{ actor: 'yaw', totals }] },
  });
  expect(await reader.sessions({}, page)).toEqual({ data: [], next: null, searched: 0 });
  expect(await reader.session('dlg_none')).toBeUndefined();
});
