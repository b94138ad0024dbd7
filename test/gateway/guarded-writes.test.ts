import { expect, test } from 'vitest';
import { acceptedCollection } from '../../src/gateway/collection/fact.ts';
import { quoteStore } from '../../src/gateway/collection/quote/quote-store.ts';
import { transitionWrites } from '../../src/gateway/collection/store/transition-store.ts';
import { type InboxRow, inboxStore, inboxWrites } from '../../src/gateway/inbox/inbox-store.ts';
import { type Bench, createBench } from './collection/bench.ts';

/*
 * Each write of the gateway's state applies only to the row as its author read it. A write whose condition does not hold
 * changes nothing and undoes its whole batch.
 */

test('a transition applies only to the version and to the lease that were read', async () => {
  const bench = createBench();
  const { row } = await bench.open();
  const transition = (read: { version: number; fence: number }) => {
    const before = { ...row, ...read };
    const after = {
      ...before,
      ...acceptedCollection(row),
      version: before.version + 1,
      updatedAt: row.updatedAt,
    };
    const fact = { kind: 'flagged' as const, data: { reason: 'guard' } };
    return bench.store.apply(
      transitionWrites(before, { facts: [fact], bookings: [], charges: [], next: after }, []),
    );
  };
  // The unique version of the facts does not catch a gap.
  expect(await transition({ version: row.version + 1, fence: row.fence })).toBe(false);
  expect(await transition({ version: row.version, fence: row.fence + 1 })).toBe(false);
  expect(await transition({ version: row.version, fence: row.fence })).toBe(true);
});

/** Opens an inbox with one event. */
async function openInbox(changed: Partial<InboxRow> = {}) {
  const bench: Bench = createBench();
  const inbox = inboxStore(bench.store);
  const row: InboxRow = {
    ...{
      merchantId: 'demo-shop',
      eventId: 'evt_1',
      livemode: 0,
      type: 'payment.session.paid',
      sessionId: 'pay_1',
    },
    ...{
      body: '{}',
      receivedAt: 1_000,
      state: 'waiting',
      nextAt: 1_000,
      leaseUntil: 0,
      attempts: 0,
      stale: 0,
    },
    ...changed,
  };
  await inbox.apply(inboxWrites.insert(row));
  return { inbox, row };
}

test('an event is claimed once for each attempt, and not during a lease', async () => {
  const { inbox, row } = await openInbox();
  expect(await inbox.claim(row, 1_000, 2_000)).toBe(true);
  expect(await inbox.claim(row, 2_000, 3_000)).toBe(false);
  expect(await inbox.claim({ ...row, attempts: 1 }, 1_999, 3_000)).toBe(false);
  expect(await inbox.claim({ ...row, attempts: 1 }, 2_000, 3_000)).toBe(true);
});

test('a handled event is neither claimed nor finished again', async () => {
  const { inbox, row } = await openInbox();
  expect(await inbox.apply(inboxWrites.finish(row, 'handled'))).toBe(true);
  expect(await inbox.claim(row, 1_000, 2_000)).toBe(false);
  expect(await inbox.apply(inboxWrites.finish(row, 'dead'))).toBe(false);
  expect(await inbox.apply(inboxWrites.park(row, 'pay_1'))).toBe(false);
});

test('a hint that was promoted meanwhile is not finished as a hint, and is promoted once', async () => {
  const { inbox, row } = await openInbox({ stale: 1 });
  expect(await inbox.apply(inboxWrites.promote(row, 1_500))).toBe(true);
  expect(await inbox.apply(inboxWrites.finish(row, 'hint'))).toBe(false);
  expect(await inbox.apply(inboxWrites.promote(row, 1_600))).toBe(false);
  expect(await inbox.apply(inboxWrites.finish({ ...row, stale: 0 }, 'handled'))).toBe(true);
});

test('the first answer to a quote stays', async () => {
  const quotes = quoteStore(createBench().store);
  const row = { id: 'quo_1', merchantId: 'demo-shop', livemode: 0, dialogueId: 'dlg_1', createKey: 'k' };
  await quotes.insert({ ...row, createBody: '{}', requestedAt: 1_000, session: null, answeredAt: null });
  await quotes.answer('quo_1', '{"id":"pay_1"}', 1_100);
  await quotes.answer('quo_1', '{"id":"pay_2"}', 1_200);
  expect(await quotes.find('quo_1')).toMatchObject({ session: '{"id":"pay_1"}', answeredAt: 1_100 });
});
