import { expect, onTestFinished, test } from 'vitest';
import { inboxStore, inboxWrites } from '../../../src/gateway/inbox/inbox-store.ts';
import { createSqliteStore } from '../../../src/sqlite/sqlite.ts';
import { testClock } from '../../kit/clock.ts';
import { fileOfOlder } from '../../kit/older-file.ts';

test('what an older program kept as a hint is handled when it is sent again in time; what it handled is not', async () => {
  const clock = testClock();
  const file = fileOfOlder(5, (older) => {
    const insert = older.prepare(`INSERT INTO inbox (merchant_id, event_id, livemode, type, session_id, body,
      received_at, state, next_at, lease_until, attempts) VALUES ('demo-shop', ?, 0, '', 'pay_1', '{}', 1, ?, NULL, 0, 0)`);
    insert.run('evt_stale', 'hint');
    insert.run('evt_known', 'handled');
  });
  const store = createSqliteStore({ file, schema: 'gateway', clock });
  onTestFinished(() => store.close());
  const inbox = inboxStore(store);
  const promptSentAgain = (eventId: string) =>
    inbox.apply(inboxWrites.promote({ merchantId: 'demo-shop', eventId }, clock.now()));
  expect([await promptSentAgain('evt_stale'), await promptSentAgain('evt_known')]).toEqual([true, false]);
  expect(await inbox.listDue({ now: clock.now(), livemode: 0, limit: 10 })).toMatchObject([
    { eventId: 'evt_stale', state: 'waiting' },
  ]);
});
