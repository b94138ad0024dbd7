import { expect, test } from 'vitest';
import { type SessionStatus, sessionStatuses } from '../../src/contract/service/session.ts';
import { closeSession } from '../../src/service/session/close.ts';
import {
  isTerminal,
  type SessionRow,
  type SessionStore,
  type SessionTransition,
  sessionStore,
  statusAfter,
} from '../../src/service/session/session-store.ts';
import type { Write } from '../../src/sqlite/store.ts';
import { testClock } from '../kit/clock.ts';
import { openOwnStore } from '../kit/migrated.ts';

/** Every status and every move: where it leads, or that it does not leave that status. */
const table: Record<SessionStatus, Record<SessionTransition, SessionStatus | undefined>> = {
  created: { initiate: 'initiated', pay: undefined, fail: undefined, expire: 'expired' },
  initiated: { initiate: undefined, pay: 'paid', fail: 'failed', expire: 'expired' },
  paid: { initiate: undefined, pay: undefined, fail: undefined, expire: undefined },
  failed: { initiate: undefined, pay: undefined, fail: undefined, expire: undefined },
  expired: { initiate: undefined, pay: undefined, fail: undefined, expire: undefined },
};

const pairs = sessionStatuses.flatMap((from) =>
  (['initiate', 'pay', 'fail', 'expire'] as const).map((move) => ({ from, move, to: table[from][move] })),
);

const clock = testClock();
const now = clock.now();

/** A session in a status, as the database must have it. */
function sessionIn(status: SessionStatus, change: Partial<SessionRow> = {}): SessionRow {
  const open = !isTerminal(status);
  return {
    id: 'pay_1',
    merchantId: 'mch_1',
    platformId: 'plt_1',
    livemode: 0,
    mode: 'offline',
    channel: 'ussd',
    network: 'mtn',
    payer: '233244123456',
    reference: 'INV-7',
    otpRequestId: null,
    goodsMinor: 2_000,
    amountMinor: 2_020,
    feeMinor: 20,
    netMinor: 2_000,
    status,
    reason: null,
    createdAt: now,
    initiatedAt: status === 'created' ? null : now,
    paidAt: status === 'paid' ? now : null,
    paidMinor: status === 'paid' ? 2_020 : null,
    closedAt: open ? null : now,
    expiresAt: open ? now + 1_000 : null,
    inquireAt: status === 'initiated' ? now + 500 : null,
    heldAt: null,
    ...change,
  };
}

async function openSessions(row: SessionRow) {
  const { store } = openOwnStore('service', { clock });
  const sessions = sessionStore(store);
  expect(await store.apply([sessions.insert(row)])).toBe(true);
  const close = closeSession({
    store,
    sessions,
    recordEvent: async () => ({ write: { sql: 'SELECT 1', args: [] }, applied: (batch) => batch }),
  });
  return { store, sessions, close, read: () => sessions.findAny(row.id) };
}

const initiateAt = (sessions: SessionStore, at: number) =>
  sessions.initiate({ id: 'pay_1', now: at, expiresAt: now + 5_000, inquireAt: now + 3_000 });

const closed = { initiate: undefined, pay: 'paid', fail: 'failed', expire: 'expired' } as const;

test.each(pairs)('from $from, "$move" leads to $to, and nowhere else', ({ from, move, to }) => {
  expect(statusAfter(from, move)).toBe(to);
});

test.each(sessionStatuses)('%s is final exactly when no move leaves it', (status) => {
  expect(isTerminal(status)).toBe(Object.values(table[status]).every((to) => to === undefined));
});

test.each(pairs)('the database lets "$move" leave $from only to $to', async ({ from, move, to }) => {
  const row = sessionIn(from);
  const { store, sessions, close, read } = await openSessions(row);
  if (move === 'initiate') {
    const applied = await store.apply([initiateAt(sessions, now + 1)]);
    expect(applied).toBe(to !== undefined);
  } else {
    const done = await close(row.id, { transition: move, reason: null, at: now + 1 });
    expect(done?.status).toBe(to);
  }
  const after = await read();
  if (to === undefined) expect(after).toEqual(row);
  else expect(after).toMatchObject({ status: to, closedAt: isTerminal(to) ? now + 1 : null });
});

test.each(
  sessionStatuses.flatMap((actual) =>
    sessionStatuses
      .filter((believed) => believed !== actual)
      .flatMap((believed) =>
        (['pay', 'fail', 'expire'] as const).map((move) => ({ actual, believed, move })),
      ),
  ),
)(
  'who believes a session $believed cannot "$move" it when it is $actual',
  async ({ actual, believed, move }) => {
    const row = sessionIn(actual);
    const { store, sessions, read } = await openSessions(row);
    const write = sessions.close({
      id: row.id,
      from: believed,
      heldAt: null,
      status: closed[move],
      reason: null,
      paidAt: move === 'pay' ? now : null,
      paidMinor: move === 'pay' ? 2_020 : null,
      closedAt: now,
    });
    expect(await store.apply([write])).toBe(false);
    expect(await read()).toEqual(row);
  },
);

test('an expired session is not initiated, to the millisecond', async () => {
  const row = sessionIn('created');
  const { store, sessions } = await openSessions(row);
  expect(await store.apply([initiateAt(sessions, now + 1_000)])).toBe(false);
  expect(await store.apply([initiateAt(sessions, now + 999)])).toBe(true);
});

test.each(
  sessionStatuses.flatMap((actual) =>
    (['created', 'initiated'] as const).map((believed) => ({ actual, believed })),
  ),
)(
  'a session that is $actual is held as $believed if it is, once, and is not initiated after',
  async (one) => {
    const { actual, believed: from } = one;
    const row = sessionIn(actual);
    const { store, sessions, read } = await openSessions(row);
    const { id } = row;
    expect(await store.apply([sessions.hold({ id, from, at: now + 1 })])).toBe(actual === from);
    if (actual !== from) return expect(await read()).toEqual(row);
    const held = { ...row, status: 'initiated', heldAt: now + 1, expiresAt: null, inquireAt: null };
    for (const again of ['created', 'initiated'] as const) {
      expect(await store.apply([sessions.hold({ id, from: again, at: now + 2 })])).toBe(false);
    }
    expect(await store.apply([initiateAt(sessions, now + 2)])).toBe(false);
    expect(await read()).toEqual(held);
  },
);

test.each(['pay', 'fail', 'expire'] as const)(
  'a session on hold ignores "%s", except from a review',
  async (move) => {
    const row = sessionIn('initiated', { heldAt: now, expiresAt: null, inquireAt: null });
    const { close, read } = await openSessions(row);
    expect(await close(row.id, { transition: move, reason: null, at: now })).toBeUndefined();
    expect(await read()).toEqual(row);
    expect(await close(row.id, { transition: move, reason: null, at: now, isOnHold: true })).toMatchObject({
      status: closed[move],
      heldAt: null,
    });
  },
);

const broken: [string, Write][] = [
  [
    'paid without a time of payment',
    { sql: `UPDATE payment_session SET status = 'paid', closed_at = 1, expires_at = NULL`, args: [] },
  ],
  ['open without an end', { sql: 'UPDATE payment_session SET expires_at = NULL', args: [] }],
  ['final with an end', { sql: `UPDATE payment_session SET status = 'failed', closed_at = 1`, args: [] }],
  [
    'final without a time',
    { sql: `UPDATE payment_session SET status = 'failed', expires_at = NULL`, args: [] },
  ],
  [
    'held before it is initiated',
    { sql: `UPDATE payment_session SET status = 'created', held_at = 1, expires_at = NULL`, args: [] },
  ],
  [
    'charged another amount than net and fee',
    { sql: 'UPDATE payment_session SET amount_minor = 1', args: [] },
  ],
  ['offline without a reference', { sql: 'UPDATE payment_session SET reference = NULL', args: [] }],
];

test.each(broken)('the database rejects a session that is %s', async (_, write) => {
  const row = sessionIn('initiated');
  const { store, read } = await openSessions(row);
  await store.apply([write]).catch(() => false);
  expect(await read()).toEqual(row);
});
