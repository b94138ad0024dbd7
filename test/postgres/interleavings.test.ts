import { expect, test } from 'vitest';
import { eventTypes } from '../../src/contract/service/event.ts';
import { staffActionWrite } from '../../src/gateway/access/action-store.ts';
import type { Actor, Person } from '../../src/gateway/access/permissions.ts';
import { accountStore, accountWrites } from '../../src/gateway/accounts/account-store.ts';
import { quotaWrite } from '../../src/gateway/accounts/limit-store.ts';
import { savedViewWrites } from '../../src/gateway/accounts/saved-view-store.ts';
import type { CollectionWithJob } from '../../src/gateway/collection/collection.ts';
import type { Limits } from '../../src/gateway/collection/opening/limits.ts';
import { prepareIntent } from '../../src/gateway/collection/opening/prepare-intent.ts';
import { claimStore } from '../../src/gateway/collection/store/claim-store.ts';
import { transitionWrites } from '../../src/gateway/collection/store/collection-store.ts';
import { unlessDialledWrite } from '../../src/gateway/collection/store/job-store.ts';
import { type TurnRow, turnStore } from '../../src/gateway/dialogue/turn-store.ts';
import { type InboxRow, inboxWrites } from '../../src/gateway/inbox/inbox-store.ts';
import { ledgerStore } from '../../src/gateway/ledger/ledger-store.ts';
import { sealBlock } from '../../src/gateway/ledger/seal.ts';
import { verifyLedger } from '../../src/gateway/ledger/verify.ts';
import { systemIds } from '../../src/shared/ids.ts';
import type { AmountMinor } from '../../src/shared/money.ts';
import type { Msisdn } from '../../src/shared/msisdn.ts';
import type { Store, Write } from '../../src/sqlite/store.ts';
import { noLimits } from '../gateway/collection/support.ts';
import { testClock } from '../kit/clock.ts';
import { noAudits } from '../kit/no-audits.ts';
import {
  begin,
  behindGate,
  closeGate,
  createDatabase,
  openPostgres,
  runSql,
  untilWaiting,
} from '../kit/postgres.ts';

/* What two gateways on one database can do at the same time. */

const clock = testClock();
const ids = systemIds(clock);
const phone = (index: number) => `23324${String(4_000_000 + index)}` as Msisdn;

/** Two stores on one database, as two gateways have. */
async function openTwo() {
  const url = await createDatabase();
  const stores = [await openPostgres(url), await openPostgres(url)] as const;
  return { url, stores, one: stores[0] };
}

/** Keeps a batch open for a moment, so that the other one of a race begins before its commit. */
const slowly: Write = { sql: 'SELECT pg_sleep(0.05)', args: [] };

const times = <Result>(count: number, work: (index: number) => Result) =>
  Array.from({ length: count }, (_, index) => work(index));

type Parties = { payer: Msisdn; dialler: Msisdn; merchantId?: string };

function prepare(limits: Limits, { merchantId = 'demo-shop', ...phones }: Parties) {
  const now = clock.now();
  return prepareIntent(ids, {
    ...{ merchantId, livemode: 0, channel: 'africastalking', dialogueId: ids.next('dlg') },
    ...{ network: 'mtn', goodsMinor: 2_000 as AmountMinor, retryOf: null, shownTotalMinor: null },
    ...{ reference: undefined, limits, now, promptDelayMs: 1_500, promptDeadlineMs: 180_000 },
    ...phones,
    requestedBy: phones.payer === phones.dialler ? 'payer' : 'other',
  });
}

const merchantLimit: Limits = { ...noLimits, merchant: { perMinute: 10 } };
const diallerLimit: Limits = { ...noLimits, dialler: { perHour: 3, perDay: null } };
const payerLimit: Limits = {
  ...noLimits,
  requests: { ...noLimits.requests, payer: { perHour: 1, perDay: null } },
};

/** Limits that count the requests at all merchants, so that the lock of a merchant does not help. */
const diallerRequests: Limits = {
  ...noLimits,
  requests: { ...noLimits.requests, dialler: { perHour: 3, perDay: null } },
};
const merchantOf = (index: number) => `shop-${index}`;

test.each<[string, Limits, (index: number) => Parties, number]>([
  ['a merchant', merchantLimit, (index) => ({ payer: phone(index), dialler: phone(index) }), 10],
  ['a dialler', diallerLimit, (index) => ({ payer: phone(index), dialler: phone(99) }), 3],
  ['a payer', payerLimit, (index) => ({ payer: phone(99), dialler: phone(index) }), 1],
  [
    'a dialler at all merchants',
    diallerRequests,
    (index) => ({ payer: phone(index), dialler: phone(99), merchantId: merchantOf(index) }),
    3,
  ],
  [
    'a payer at all merchants',
    payerLimit,
    (index) => ({ payer: phone(99), dialler: phone(index), merchantId: merchantOf(index) }),
    1,
  ],
])('the limit of %s holds for openings that arrive at once', async (_, limits, phonesOf, expected) => {
  const { stores } = await openTwo();
  const answers = await Promise.all(
    times(16, (index) =>
      (stores[index % 2] as Store).apply([...prepare(limits, phonesOf(index)).writes, slowly]),
    ),
  );
  expect(answers.filter((isWritten) => isWritten)).toHaveLength(expected);
});

test('openings at a merchant without a limit do not wait for each other', async () => {
  const { url, stores } = await openTwo();
  const openGate = await closeGate(url);
  const open = (index: number) => prepare(noLimits, { payer: phone(index), dialler: phone(index) }).writes;
  const first = stores[0].apply([...open(1), behindGate]);
  await untilWaiting(url, 1);
  expect(await stores[1].apply(open(2))).toBe(true);
  await openGate();
  expect(await first).toBe(true);
});

test('a person has no more saved views than the maximum when several are added at once', async () => {
  const { url, stores } = await openTwo();
  await runSql(
    url,
    `INSERT INTO account (id, name, role, last_step, created_at) VALUES ('acc_1', 'ama', 'agent', 0, ${clock.now()})`,
  );
  const add = (index: number) => [
    quotaWrite('views', { accountId: 'acc_1', max: 5 }, clock.now()),
    savedViewWrites.insert({
      ...{ id: `viw_${index}`, accountId: 'acc_1', name: `view ${index}` },
      ...{ query: '', createdAt: clock.now() },
    }),
    slowly,
  ];
  const answers = await Promise.all(times(16, (index) => (stores[index % 2] as Store).apply(add(index))));
  expect(answers.filter((isWritten) => isWritten)).toHaveLength(5);
});

/** A database with an account that has signed in twice, the actor of each session, and the write that records what one does. */
async function openWithSessions() {
  const { url, stores } = await openTwo();
  const now = clock.now();
  await runSql(
    url,
    `INSERT INTO account (id, name, role, last_step, created_at) VALUES ('acc_1', 'ama', 'lead', 0, ${now})`,
  );
  const sessions = ['one', 'two'].map((digest) => ({
    ...{ digest, id: `ses_${digest}`, accountId: 'acc_1', kind: 'full' as const },
    ...{ createdAt: now, seenAt: now, confirmedAt: now },
  }));
  await stores[0].apply(sessions.map((one) => accountWrites.insertSession(one)));
  const actors = sessions.map(
    (session): Person => ({
      ...{
        kind: 'person',
        accountId: 'acc_1',
        name: 'ama',
        role: 'lead',
        merchantId: null,
        decidesFrom: null,
        session,
      },
    }),
  );
  const record = (actor: Actor, kind: 'account' | 'collection', id: string) =>
    staffActionWrite(
      {
        ...{ actor, action: 'act', detail: {} },
        subject: { kind, id, merchantId: kind === 'account' ? null : 'demo-shop', livemode: 0 },
      },
      now,
    );
  const has = async (digest: string) =>
    (await accountStore(stores[0] as Store).findSession(digest)) !== undefined;
  return { stores, actors, record, has };
}

test('of two sign-in sessions that end each other at once, one stays', async () => {
  for (let round = 0; round < 8; round++) {
    const { stores, actors, record, has } = await openWithSessions();
    const answers = await Promise.all(
      actors.map((actor, index) =>
        (stores[index] as Store).apply([
          record(actor, 'account', 'acc_1'),
          accountWrites.endOtherSessions({ accountId: 'acc_1', digest: actor.session.digest }),
          slowly,
        ]),
      ),
    );
    expect(answers.toSorted()).toEqual([false, true]);
    expect([await has('one'), await has('two')]).toEqual(answers);
  }
});

test('an action and the end of its session are written one after the other', async () => {
  const { stores, actors, record } = await openWithSessions();
  const [actor] = actors as [Person];
  const end = (stores[0] as Store).apply([
    record({ kind: 'configuration', name: 'configuration', merchantId: null }, 'account', 'acc_1'),
    accountWrites.endSessions({ accountId: 'acc_1' }),
    { sql: 'SELECT pg_sleep(0.3)', args: [] },
  ]);
  await untilAsleep(stores[1] as Store);
  expect(await (stores[1] as Store).apply([record(actor, 'collection', 'col_1')])).toBe(false);
  expect(await end).toBe(true);
});

/** Resolves when a batch sleeps with its locks. */
async function untilAsleep(store: Store): Promise<void> {
  const asleep =
    "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()";
  while (Number(((await store.query(asleep, [], 'row')) as [number])[0]) === 0);
}

function eventOf(sessionId: string): InboxRow {
  const at = clock.now();
  return {
    ...{ merchantId: 'demo-shop', eventId: `evt_${sessionId}`, livemode: 0, type: 'session.paid', sessionId },
    ...{ body: '{}', receivedAt: at, state: 'waiting', nextAt: at, leaseUntil: 0, attempts: 0, stale: 0 },
  };
}

test('an event is never parked for ever while a collection learns its session', async () => {
  const { stores, one } = await openTwo();
  const races = times(8, (index) => {
    const { row, writes } = prepare(noLimits, { payer: phone(index), dialler: phone(index) });
    const sessionId = `pay_${index}`;
    const after: CollectionWithJob = { ...row, status: 'created', version: row.version + 1, sessionId };
    const learn = transitionWrites(row, { facts: [], bookings: [], charges: [], next: after }, ['demo-shop']);
    const event = eventOf(sessionId);
    return {
      opening: [...writes, inboxWrites.insert(event)],
      learn,
      park: [inboxWrites.park(event, sessionId)],
    };
  });
  for (const { opening } of races) expect(await one.apply(opening)).toBe(true);
  await Promise.all(
    races.flatMap(({ learn, park }) => [
      stores[0].apply([...learn, slowly]),
      stores[1].apply([...park, slowly]),
    ]),
  );
  const parked = `SELECT count(*) FROM inbox JOIN collection ON collection.session_id = inbox.session_id WHERE state = 'parked'`;
  expect(await one.query(parked, [], 'row')).toEqual([0]);
  expect(await one.query(`SELECT count(*) FROM collection WHERE status = 'created'`, [], 'row')).toEqual([8]);
});

test('a change that was decided before another gateway claimed the collection is not written', async () => {
  const { stores, one } = await openTwo();
  const { row, writes } = prepare(noLimits, { payer: phone(1), dialler: phone(1) });
  expect(await one.apply(writes)).toBe(true);
  const after: CollectionWithJob = {
    ...row,
    status: 'created',
    version: row.version + 1,
    sessionId: 'pay_1',
  };
  const change = transitionWrites(row, { facts: [], bookings: [], charges: [], next: after }, ['demo-shop']);
  const now = clock.now() + 60_000;
  expect(await claimStore(stores[1], 'gw_other').claim([row.id], now, now + 30_000)).toHaveLength(1);
  expect(await one.apply(change)).toBe(false);
});

test('a payment that is booked while a failure of its session is being parked finds the failure', async () => {
  const { url, stores, one } = await openTwo();
  const sessionId = 'pay_1';
  const [failed, paid] = (['failed', 'paid'] as const).map((name) => ({
    ...eventOf(sessionId),
    eventId: `evt_${name}`,
    type: eventTypes[name],
  }));
  if (!failed || !paid) throw new Error('two events expected');
  await one.apply([inboxWrites.insert(failed), inboxWrites.insert(paid)]);
  const openGate = await closeGate(url);
  const parking = stores[0].apply([inboxWrites.park(failed, sessionId), behindGate]);
  await untilWaiting(url, 1);
  const booking = stores[1].apply([inboxWrites.expectNoFailure(paid, sessionId)]);
  await Promise.race([booking, untilWaiting(url, 2)]);
  await openGate();
  expect(await booking).toBe(false);
  expect(await parking).toBe(true);
});

test('two merchants of an account do not book the money of one session at the same time', async () => {
  const { stores, one } = await openTwo();
  const events = times(8, (index) =>
    ['shop-a', 'shop-b'].map((merchantId) => ({ ...eventOf(`pay_${index}`), merchantId })),
  );
  for (const event of events.flat()) await one.apply([inboxWrites.insert(event)]);
  const reported = ({ merchantId, eventId, sessionId }: InboxRow): Write => ({
    sql: `INSERT INTO unplaced_payment (id, merchant_id, livemode, session_id, charge, event_id, event_type, state, version,
        suspended_minor, reason, received_at, updated_at) VALUES (?, ?, 0, ?, 1, ?, 'session.paid', 'open', 1, 0, 'no_session', 1, 1)`,
    args: [`unp_${merchantId}_${eventId}`, merchantId, sessionId, eventId],
    rows: 1,
  });
  const answers = await Promise.all(
    events.map(async ([a, b]) => {
      if (!a || !b) throw new Error('two events expected');
      const seen = { sessionId: a.sessionId ?? '', charges: 0 };
      return Promise.all([
        stores[0].apply([inboxWrites.expectSession(a, { ...seen, ownerId: 'shop-b' }), reported(a), slowly]),
        stores[1].apply([inboxWrites.expectSession(b, { ...seen, ownerId: 'shop-a' }), reported(b), slowly]),
      ]);
    }),
  );
  expect(answers.map((pair) => pair.filter((isWritten) => isWritten).length)).toEqual(answers.map(() => 1));
});

const fact = (subject: string) =>
  `INSERT INTO fact (subject_id, merchant_id, version, kind, data, at) VALUES ('${subject}', 'demo-shop', 1, 'polled', '{}', 1)`;

/** A connection with an open transaction. */
/** The numbers of facts that are in the ledger, and the last one that a block has sealed. */
async function sealedOf(store: Store): Promise<unknown> {
  return store.query(
    'SELECT (SELECT count(*) FROM fact), coalesce(max(fact_seq), 0), coalesce(sum(rows), 0) FROM seal',
    [],
    'row',
  );
}

/** Seals while a slow transaction ends, and then the rest. */
async function sealAround(store: Store, end: () => Promise<unknown>): Promise<void> {
  const ledger = ledgerStore(store);
  const first = sealBlock(ledger, clock);
  await end();
  await first;
  await sealBlock(ledger, clock);
}

test.each(['COMMIT', 'ROLLBACK'])(
  'a block waits for a writer that has an earlier number: %s',
  async (end) => {
    const { url, one } = await openTwo();
    const slow = await begin(url);
    await slow.query(fact('slow'));
    await one.apply([{ sql: fact('fast'), args: [] }]);
    await sealAround(one, () => slow.query(end));
    expect(await sealedOf(one)).toEqual(end === 'COMMIT' ? [2, 2, 2] : [1, 2, 1]);
    const { faults } = await verifyLedger(ledgerStore(one), noAudits);
    // The facts of this test have no collection.
    expect(faults.filter(({ row }) => !row.startsWith('collection '))).toEqual([]);
  },
);

test('a block waits for a slow writer, also when the later number is of an older transaction', async () => {
  const { url, one } = await openTwo();
  const [older, slow] = [await begin(url), await begin(url)];
  await older.query('SELECT pg_current_xact_id()');
  await slow.query(fact('slow'));
  await older.query(fact('fast'));
  await older.query('COMMIT');
  await sealAround(one, () => slow.query('COMMIT'));
  expect(await sealedOf(one)).toEqual([2, 2, 2]);
});

test('a number that is drawn while a block waits for writers is not in the block', async () => {
  const { url, one } = await openTwo();
  const slow = await begin(url);
  // After the wait of the block, a writer draws a number, and a later one is committed before it.
  const overtaken: Store = {
    ...one,
    async settled() {
      const isSettled = await one.settled();
      await slow.query(fact('slow'));
      await one.apply([{ sql: fact('fast'), args: [] }]);
      return isSettled;
    },
  };
  await sealBlock(ledgerStore(overtaken), clock);
  await slow.query('COMMIT');
  await sealBlock(ledgerStore(one), clock);
  expect(await sealedOf(one)).toEqual([2, 2, 2]);
});

test('a transaction is waited for from the moment in which it draws its first number', async () => {
  const { url, one } = await openTwo();
  const [slow, gate] = [await begin(url), await begin(url)];
  await gate.query('SELECT pg_advisory_xact_lock(1)');
  // The row has its number, and is not written while the gate is closed.
  const writing = slow.query(fact('slow').replace("'{}'", "pg_advisory_xact_lock(1)::text || '{}'"));
  const waiting = `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`;
  await expect.poll(() => one.query(waiting, [], 'row')).toEqual([1]);
  await one.apply([{ sql: fact('fast'), args: [] }]);
  await sealAround(one, async () => {
    await gate.query('COMMIT');
    await writing;
    await slow.query('COMMIT');
  });
  expect(await sealedOf(one)).toEqual([2, 2, 2]);
});

test('a block does not wait for a writer of another database', async () => {
  const { one } = await openTwo();
  const elsewhere = await begin(await createDatabase());
  await elsewhere.query(fact('elsewhere'));
  await one.apply([{ sql: fact('here'), args: [] }]);
  expect(await sealBlock(ledgerStore(one), clock)).toBeDefined();
  expect(await sealedOf(one)).toEqual([1, 1, 1]);
});

test('a block does not wait for a writer of other tables, also of the same name or in the same schema', async () => {
  const { url, one } = await openTwo();
  await runSql(url, 'CREATE SCHEMA shop; CREATE TABLE shop.fact (id int); CREATE TABLE orders (id int)');
  const others = [await begin(url), await begin(url)];
  await others[0]?.query('INSERT INTO shop.fact VALUES (1)');
  await others[1]?.query('INSERT INTO orders VALUES (1)');
  await one.apply([{ sql: fact('here'), args: [] }]);
  expect(await sealBlock(ledgerStore(one), clock)).toBeDefined();
});

test('a sealer gives up when a writer lasts longer than it waits, and seals nothing', async () => {
  const { url, one } = await openTwo();
  const slow = await begin(url);
  await slow.query(fact('slow'));
  await one.apply([{ sql: fact('fast'), args: [] }]);
  expect(await sealBlock(ledgerStore(one), clock)).toBeUndefined();
  expect(await sealedOf(one)).toEqual([1, 0, 0]);
}, 30_000);

const booking = (subject: string): Write[] =>
  [-100, 100].map((amount) => ({
    sql: `INSERT INTO posting (subject_id, merchant_id, livemode, version, booking, account, amount_minor, at)
      VALUES (?, 'demo-shop', 0, 2, 'suspense', ?, ?, ?)`,
    args: [subject, amount < 0 ? 'payers' : 'suspense', amount, clock.now()],
    rows: 1,
  }));

test('totals count each posting once, while two gateways book and seal at the same time', async () => {
  const { stores, one } = await openTwo();
  const ledger = ledgerStore(one);
  let isWriting = true;
  const seal = async (store: Store) => {
    while (isWriting) await sealBlock(ledgerStore(store), clock);
  };
  const sums: number[] = [];
  const read = async () => {
    while (isWriting)
      sums.push((await ledger.balances()).reduce((sum, { amountMinor }) => sum + amountMinor, 0));
  };
  const background = [seal(stores[0]), seal(stores[1]), read()];
  await Promise.all(times(300, (index) => (stores[index % 2] as Store).apply(booking(`col_${index}`))));
  isWriting = false;
  await Promise.all(background);
  while (await sealBlock(ledger, clock)) {
    // Seals one block at a time.
  }
  expect(new Set(sums)).toEqual(new Set([0]));
  expect(await ledger.wrongTotals()).toEqual([]);
  expect((await ledger.balances()).map(({ amountMinor, postings }) => [amountMinor, postings])).toEqual([
    [-30_000, 300],
    [30_000, 300],
  ]);
  expect(await one.query('SELECT sum(rows) FROM seal', [], 'row')).toEqual([600]);
});

test('of a dial and the claim that sends the prompt of its payer, at the same time on two gateways, one sees the other', async () => {
  const { stores } = await openTwo();
  const [one, other] = stores;
  const openings = times(20, (index) => {
    const payer = phone(500 + index);
    return prepare(noLimits, { payer, dialler: payer });
  });
  for (const { writes } of openings) expect(await one.apply(writes)).toBe(true);
  // Not more at once than a store has connections: a dial that waits for one begins long after the claim.
  const sees: { isClaimed: boolean; sends: number }[] = [];
  for (const [index, { row }] of openings.entries()) {
    const { payer } = row;
    const dial: TurnRow = {
      ...{ channel: 'nalo', session: `new-${index}`, sequence: 1, dialogueId: ids.next('dlg') },
      ...{
        merchantId: 'demo-shop',
        dialler: payer,
        operator: 'mtn',
        input: null,
        position: null,
        payer: null,
      },
      ...{
        ussdRef: null,
        ending: null,
        state: '{}',
        reply: 'continue',
        screen: 'Welcome',
        collectionId: null,
      },
      at: clock.now(),
    };
    const guard = unlessDialledWrite(row.id, payer, { since: 0, seq: 0 });
    const prompt: Write = {
      sql: 'UPDATE collection SET initiate_sends = 1 WHERE id = ?',
      args: [row.id],
      rows: 1,
    };
    const dialled = turnStore(one).write(dial, [slowly]);
    const claimed = other.apply([guard, prompt]);
    const [, isClaimed] = await Promise.all([dialled, claimed]);
    // The claim that won was committed before the dial was written.
    const query = 'SELECT initiate_sends FROM collection WHERE id = ?';
    const found = await one.query(query, [row.id], 'row');
    sees.push({ isClaimed, sends: Number((found as [unknown])[0]) });
  }
  for (const { isClaimed, sends } of sees) expect(sends).toBe(isClaimed ? 1 : 0);
  expect(sees.some(({ isClaimed }) => !isClaimed)).toBe(true);
});
