import { expect, test } from 'vitest';
import { createSendTimes } from '../../../src/gateway/collection/calls/send-times.ts';
import { submit } from '../../../src/gateway/collection/calls/submit.ts';
import type { SubmitDeps } from '../../../src/gateway/collection/calls/submit-deps.ts';
import { unplacedStore } from '../../../src/gateway/unplaced/unplaced-store.ts';
import { systemIds } from '../../../src/shared/ids.ts';
import { createSilentLog } from '../../kit/silent-log.ts';
import { createBench } from './bench.ts';
import { context, minute, second } from './support.ts';

/** The parts of a worker whose service answers as given. */
function workerOf(
  { store, collections, clock }: Pick<ReturnType<typeof createBench>, 'store' | 'collections' | 'clock'>,
  {
    sendTimes = createSendTimes(clock),
    ...provider
  }: Partial<SubmitDeps['provider']> & {
    sendTimes?: ReturnType<typeof createSendTimes>;
  },
): SubmitDeps {
  const { resendGraceMs, retryAllowedAfterMs, unconfirmedAlarmAfterMs, feeCap } = context;
  const unexpected = () => Promise.reject(new Error('this call is not expected'));
  return {
    unplaced: unplacedStore(store),
    accountOf: (merchantId) => [merchantId],
    ...{ collections, clock, sendTimes, ids: systemIds(clock), log: createSilentLog() },
    ...{ resendGraceMs, retryAllowedAfterMs, unconfirmedAlarmAfterMs, feeCap },
    keyOf: () => 'sk_test_key',
    screenSent: async ({ openedAt }) => openedAt,
    lastSession: async () => undefined,
    hasWaitingEvent: async () => false,
    provider: { create: unexpected, status: unexpected, initiate: unexpected, ...provider },
  };
}

test('S13: an initiate that a paused process sends during a poll is not sent a second time', async () => {
  const bench = createBench();
  const { open, store, clock } = bench;
  const { row } = await open();
  // The right to send was won a minute ago; the process was paused before the call left, and its lease has expired.
  const sentAt = clock.now() - minute;
  await store.apply([
    {
      sql: `UPDATE collection SET status = 'initiating', session_id = 'pay_1', initiate_sent_at = ?, initiate_sends = 1,
            fence = 2 WHERE id = ?`,
      args: [sentAt, row.id],
      rows: 1,
    },
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
  const done = submit(deps, { id: row.id, fence: 2 });
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
            initiated_at = ?, fence = 1 WHERE id = ?`,
      args: [now, now, row.id],
      rows: 1,
    },
  ]);
  const nextPollAt = now + minute;
  const deps = workerOf(bench, {
    async status() {
      // The lease ends during the call. Another worker polls, and the service asks it to wait.
      await store.apply([
        {
          sql: 'UPDATE collection SET fence = 2, next_at = ? WHERE id = ?',
          args: [nextPollAt, row.id],
          rows: 1,
        },
      ]);
      return { kind: 'unknown', detail: 'timeout', ms: 30_000 };
    },
  });
  await submit(deps, { id: row.id, fence: 1 });
  expect((await collections.find(row.id))?.nextAt).toBe(nextPollAt);
});
