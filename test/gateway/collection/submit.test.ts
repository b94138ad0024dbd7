import { expect, test } from 'vitest';
import { createSendTimes } from '../../../src/gateway/collection/calls/send-times.ts';
import { submit } from '../../../src/gateway/collection/calls/submit.ts';
import type { SubmitDeps } from '../../../src/gateway/collection/calls/submit-deps.ts';
import { unplacedStore } from '../../../src/gateway/unplaced/unplaced-store.ts';
import { systemIds } from '../../../src/shared/ids.ts';
import { createSilentLog } from '../../kit/silent-log.ts';
import { createBench } from './bench.ts';
import { context, minute, second } from './support.ts';

test('S13: an initiate that a paused process sends during a poll is not sent a second time', async () => {
  const { open, store, collections, clock } = createBench();
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
  const { resendGraceMs, retryAllowedAfterMs, unconfirmedAlarmAfterMs, feeCap } = context;
  const deps: SubmitDeps = {
    unplaced: unplacedStore(store),
    accountOf: (merchantId) => [merchantId],
    ...{ collections, clock, sendTimes, ids: systemIds(clock), log: createSilentLog() },
    ...{ resendGraceMs, retryAllowedAfterMs, unconfirmedAlarmAfterMs, feeCap },
    keyOf: () => 'sk_test_key',
    screenSent: async ({ openedAt }) => openedAt,
    lastSession: async () => undefined,
    hasWaitingEvent: async () => false,
    provider: {
      create: () => Promise.reject(new Error('no create is expected')),
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
    },
  };
  const done = submit(deps, { id: row.id, fence: 2 });
  await clock.advance(second);
  await done;
  expect(sent).toEqual([]);
});
