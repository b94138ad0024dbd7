import { expect, test } from 'vitest';
import { type AdvanceDeps, advance } from '../../../src/gateway/collection/advance.ts';
import { createReconciliation } from '../../../src/gateway/collection/apply.ts';
import { createSendTimes } from '../../../src/gateway/collection/calls/send-times.ts';
import type { CollectionRow } from '../../../src/gateway/collection/collection.ts';
import { findLastSession } from '../../../src/gateway/dialogue/end-session.ts';
import { type TurnRow, turnStore } from '../../../src/gateway/dialogue/turn-store.ts';
import { unplacedStore } from '../../../src/gateway/unplaced/unplaced-store.ts';
import { systemIds } from '../../../src/shared/ids.ts';
import type { Write } from '../../../src/sqlite/store.ts';
import { createSilentLog } from '../../kit/log.ts';
import { createBench } from './bench.ts';
import { context, minute, paidEvidence, second } from './support.ts';

/** The parts of a worker whose service answers as given. */
function workerOf(
  { store, collections, clock }: Pick<ReturnType<typeof createBench>, 'store' | 'collections' | 'clock'>,
  {
    sendTimes = createSendTimes(clock),
    ...provider
  }: Partial<AdvanceDeps['provider']> & {
    sendTimes?: ReturnType<typeof createSendTimes>;
  },
): AdvanceDeps {
  const { resendGraceMs, retryAllowedAfterMs, unconfirmedAlarmAfterMs, feeCap } = context;
  const unexpected = () => Promise.reject(new Error('this call is not expected'));
  const reconciliation = createReconciliation({
    ...{ collections, unplaced: unplacedStore(store), accountOf: (merchantId) => [merchantId] },
    ...{ clock, ids: systemIds(clock), log: createSilentLog() },
    rules: { resendGraceMs, retryAllowedAfterMs, unconfirmedAlarmAfterMs, feeCap },
  });
  return {
    ...{ reconciliation, collections, clock, sendTimes },
    keyOf: () => 'sk_test_key',
    screenSent: async ({ openedAt }) => openedAt,
    lastSession: async () => undefined,
    hasWaitingEvent: async () => false,
    provider: { create: unexpected, status: unexpected, initiate: unexpected, ...provider },
  };
}

/** Changes columns of a collection's job. */
function setJob({ id }: { id: string }, values: Record<string, number>): Write {
  const columns = Object.keys(values).map((name) => `${name} = ?`);
  return {
    sql: `UPDATE job SET ${columns.join(', ')} WHERE collection_id = ?`,
    args: [...Object.values(values), id],
    rows: 1,
  };
}

/** Advances a collection as it is in the ledger, under the fence that it has there. */
async function advanceClaimed(deps: AdvanceDeps, id: string): Promise<void> {
  const row = await deps.collections.find(id);
  if (row) await advance(deps, row);
}

test('S13: an initiate that a paused process sends during a poll is not sent a second time', async () => {
  const bench = createBench();
  const { open, store, clock } = bench;
  const { row } = await open();
  // The right to send was won a minute ago; the process was paused before the call left, and its lease has expired.
  const sentAt = clock.now() - minute;
  await store.apply([
    {
      sql: `UPDATE collection SET status = 'initiating', session_id = 'pay_1', initiate_sent_at = ?, initiate_sends = 1 WHERE id = ?`,
      args: [sentAt, row.id],
      rows: 1,
    },
    setJob(row, { fence: 2 }),
  ]);
  const sendTimes = createSendTimes(clock);
  const sent: string[] = [];
  const deps = workerOf(bench, {
    sendTimes,
    async status() {
      // The paused send continues now.
      sendTimes.record(row.id);
      await clock.sleep(0);
      return { kind: 'ok', value: { id: 'pay_1', status: 'created', terminal: false }, ms: 100 } as never;
    },
    async initiate() {
      sent.push('initiate');
      return { kind: 'unknown', detail: 'timeout', ms: 1 };
    },
  });
  const done = advanceClaimed(deps, row.id);
  await clock.advance(second);
  await done;
  expect(sent).toEqual([]);
});

test('a poll that is lost after its lease leaves the next poll to the worker that has the collection now', async () => {
  const bench = createBench();
  const { open, store, collections, clock } = bench;
  const { row } = await open();
  const now = clock.now();
  await store.apply([
    {
      sql: `UPDATE collection SET status = 'initiated', session_id = 'pay_1', initiate_sent_at = ?, initiate_sends = 1,
            initiated_at = ? WHERE id = ?`,
      args: [now, now, row.id],
      rows: 1,
    },
    setJob(row, { fence: 1 }),
  ]);
  const nextPollAt = now + minute;
  const deps = workerOf(bench, {
    async status() {
      // The lease ends during the call. Another worker polls, and the service asks it to wait.
      await store.apply([setJob(row, { fence: 2, next_at: nextPollAt })]);
      return { kind: 'unknown', detail: 'timeout', ms: 30_000 };
    },
  });
  await advanceClaimed(deps, row.id);
  expect((await collections.find(row.id))?.nextAt).toBe(nextPollAt);
});

/** Returns a turn of the payer in a dialogue on another channel than the one that opened the payment. */
function turnOf({ payer, openedAt }: CollectionRow, changed: Partial<TurnRow> = {}): TurnRow {
  return {
    ...{ channel: 'nalo', session: 'new-1', sequence: 1, dialogueId: 'dlg_new', merchantId: 'demo-shop' },
    ...{ dialler: payer, operator: 'mtn', input: null, position: null, payer: null, ussdRef: null },
    ...{ ending: null, state: '{}', reply: 'continue', screen: 'Welcome', collectionId: null, at: openedAt },
    ...changed,
  };
}

test.each([
  { title: 'a dial', turns: [{}] },
  { title: 'a dial whose clock is behind', turns: [{}], behindMs: 3_000 },
  { title: 'an input', before: [{}], turns: [{ sequence: 2, input: '1' }], isEnded: true },
])('S15: $title between the check of the payer and the claim that sends: the prompt waits', async (one) => {
  const bench = createBench();
  const { open, store, collections, clock } = bench;
  const { row } = await open();
  const turns = turnStore(store);
  await store.apply([
    {
      sql: `UPDATE collection SET status = 'created', session_id = 'pay_1' WHERE id = ?`,
      args: [row.id],
    },
    setJob(row, { fence: 1 }),
  ]);
  for (const earlier of one.before ?? []) await turns.write(turnOf(row, earlier));
  await clock.advance(5 * second);
  let checks = 0;
  const sent: string[] = [];
  const deps: AdvanceDeps = {
    ...workerOf(bench, {
      async initiate() {
        sent.push('initiate');
        return { kind: 'unknown', detail: 'timeout', ms: 1 };
      },
    }),
    async lastSession(msisdn) {
      const idleMs = one.isEnded && checks === 0 ? 0 : minute;
      const found = await findLastSession(
        { turns, clock, idleMsOf: () => idleMs, lastLeft: () => undefined },
        msisdn,
      );
      if (checks++ === 0)
        for (const turn of one.turns)
          await turns.write(turnOf(row, { at: clock.now() - (one.behindMs ?? 0), ...turn }));
      return found;
    },
  };
  await advanceClaimed(deps, row.id);
  expect(sent).toEqual([]);
  expect(checks).toBe(2);
  expect(await collections.find(row.id)).toMatchObject({
    status: 'created',
    initiateSends: 0,
    leaseUntil: 0,
  });
});

test('S15: a lost initiate is not sent again while its payer is in a dialogue', async () => {
  const bench = createBench();
  const { open, store, collections, clock } = bench;
  const { row } = await open();
  const turns = turnStore(store);
  await store.apply([
    {
      sql: `UPDATE collection SET status = 'initiating', session_id = 'pay_1', initiate_sent_at = ?, initiate_sends = 1 WHERE id = ?`,
      args: [clock.now(), row.id],
    },
    setJob(row, { fence: 1, lease_until: clock.now() + 2 * minute }),
  ]);
  await clock.advance(minute);
  await turns.write(turnOf(row, { at: clock.now() }));
  let sends = 0;
  const deps: AdvanceDeps = {
    ...workerOf(bench, {
      status: async () =>
        ({ kind: 'ok', value: { id: 'pay_1', status: 'created', terminal: false }, ms: 100 }) as never,
      async initiate() {
        sends += 1;
        return { kind: 'unknown', detail: 'timeout', ms: 1 };
      },
    }),
    lastSession: (msisdn) =>
      findLastSession({ turns, clock, idleMsOf: () => 30 * second, lastLeft: () => undefined }, msisdn),
  };
  await advanceClaimed(deps, row.id);
  expect(sends).toBe(0);
  await clock.advance(30 * second);
  await store.apply([setJob(row, { lease_until: clock.now() + minute })]);
  await advanceClaimed(deps, row.id);
  expect(sends).toBe(1);
  expect(await collections.find(row.id)).toMatchObject({ initiateSends: 2 });
});

test('S15: the delay counts from the last END, also when an idle dialogue that began later ends first', async () => {
  const bench = createBench();
  const { open, store, collections, clock } = bench;
  const { row } = await open();
  const turns = turnStore(store);
  await store.apply([
    {
      sql: `UPDATE collection SET status = 'created', session_id = 'pay_1' WHERE id = ?`,
      args: [row.id],
    },
    setJob(row, { fence: 1, lease_until: clock.now() + 2 * minute }),
  ]);
  const older = { channel: 'hubtel', session: 'old-1', dialogueId: 'dlg_old' };
  await turns.write(turnOf(row, { ...older, at: clock.now() }));
  await clock.advance(second);
  await turns.write(turnOf(row, { at: clock.now() }));
  await clock.advance(29.8 * second);
  await turns.write(turnOf(row, { ...older, sequence: 2, input: '1', reply: 'end', at: clock.now() }));
  let sends = 0;
  const deps: AdvanceDeps = {
    ...workerOf(bench, {
      async initiate() {
        sends += 1;
        return { kind: 'unknown', detail: 'timeout', ms: 1 };
      },
    }),
    lastSession: (msisdn) =>
      findLastSession({ turns, clock, idleMsOf: () => 30 * second, lastLeft: () => undefined }, msisdn),
  };
  await clock.advance(0.3 * second);
  await advanceClaimed(deps, row.id);
  expect(sends).toBe(0);
  expect((await collections.find(row.id))?.nextAt).toBe(
    clock.now() - 0.3 * second + row.promptNotBefore - row.openedAt,
  );
});

/** An event that changes no status. */
const otherEvent = { kind: 'event_other', eventId: 'evt_other', type: 'payment.noted' } as const;

test('an event that is recorded while a prompt waits does not stop the prompt', async () => {
  const bench = createBench();
  const { open, store, collections, clock } = bench;
  const { row } = await open();
  await store.apply([
    {
      sql: `UPDATE collection SET status = 'created', session_id = 'pay_1' WHERE id = ?`,
      args: [row.id],
    },
    setJob(row, { fence: 1, lease_until: clock.now() + minute }),
  ]);
  await clock.advance(5 * second);
  let sends = 0;
  const deps: AdvanceDeps = {
    ...workerOf(bench, {
      async initiate() {
        sends += 1;
        return { kind: 'unknown', detail: 'timeout', ms: 1 };
      },
    }),
    async lastSession() {
      const now = await collections.find(row.id);
      if (now?.version === row.version) await deps.reconciliation.apply(now, otherEvent);
      return undefined;
    },
  };
  await advanceClaimed(deps, row.id);
  expect(sends).toBe(1);
});

test('a collection whose payment is reported while its prompt waits is not prompted, and its claim ends', async () => {
  const bench = createBench();
  const { open, store, collections, clock } = bench;
  const { row } = await open();
  await store.apply([
    {
      sql: `UPDATE collection SET status = 'created', session_id = 'pay_1' WHERE id = ?`,
      args: [row.id],
    },
    setJob(row, { fence: 1, lease_until: clock.now() + minute }),
  ]);
  await clock.advance(5 * second);
  const deps: AdvanceDeps = {
    ...workerOf(bench, {}),
    async lastSession() {
      const now = await collections.find(row.id);
      if (now?.status === 'created') await deps.reconciliation.apply(now, paidEvidence());
      return undefined;
    },
  };
  await advanceClaimed(deps, row.id);
  expect(await collections.find(row.id)).toMatchObject({
    ...{ status: 'review', booked: 'suspense', initiateSends: 0, leaseUntil: 0 },
  });
});

test('an event that is recorded during a poll does not stop the resend of a lost initiate', async () => {
  const bench = createBench();
  const { open, store, collections, clock } = bench;
  const { row } = await open();
  await store.apply([
    {
      sql: `UPDATE collection SET status = 'initiating', session_id = 'pay_1', initiate_sent_at = ?, initiate_sends = 1 WHERE id = ?`,
      args: [clock.now(), row.id],
    },
    setJob(row, { fence: 1, lease_until: clock.now() + 2 * minute }),
  ]);
  await clock.advance(30 * second);
  let sends = 0;
  const deps = workerOf(bench, {
    async status() {
      const now = await collections.find(row.id);
      if (now) await deps.reconciliation.apply(now, otherEvent);
      return { kind: 'ok', value: { id: 'pay_1', status: 'created', terminal: false }, ms: 100 } as never;
    },
    async initiate() {
      sends += 1;
      return { kind: 'unknown', detail: 'timeout', ms: 1 };
    },
  });
  await advanceClaimed(deps, row.id);
  expect(sends).toBe(1);
});
