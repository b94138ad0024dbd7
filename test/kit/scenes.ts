import { expect } from 'vitest';
import type { CollectionRow } from '../../src/gateway/collection/collection.ts';
import type { StatementRow } from '../../src/service/statement-query.ts';
import type { TillPrograms } from './till.ts';

/** A posting in short form: `[booking, account, pesewas]`. */
export type PostingTuple = [booking: string, account: string, amountMinor: number];

/** The postings of a paid collection of the demo menu: a price of GHS 20.00 and a fee of GHS 0.20. */
export const paidInFull: PostingTuple[] = [
  ['paid', 'payers', -2_020],
  ['paid', 'merchant:demo-shop', 2_000],
  ['paid', 'service_fees', 20],
];

/** Returns the postings of an amount in the suspense account. */
export function inSuspense(amountMinor: number): PostingTuple[] {
  return [
    ['suspense', 'payers', -amountMinor],
    ['suspense', 'suspense', amountMinor],
  ];
}

export type StoredEvent = { id: string; state: string; sessionId: string | null; body: string };

export type StoredCollection = {
  id: string;
  merchant: string;
  payer: string;
  dialler: string;
  status: string;
  goodsMinor: number;
  sessionId: string | null;
  retryOf: string | null;
  reason: string | null;
  review: string | null;
  shortReference: string;
  lapsed: 0 | 1;
};

/** The default number. */
export const payer = '0244123456';

/** What a payer, the service and the network do at a till, and what the till has stored. */
export type Scenes = {
  /** Dials and confirms a payment, and returns the collection when its prompt is on the handset. */
  prompted(msisdn?: string): Promise<CollectionRow>;
  /** Approves the only pending prompt of a number with a PIN. */
  approve(msisdn?: string): Promise<void>;
  /** Declines the only pending prompt of a number. */
  decline(msisdn?: string): Promise<void>;
  /** Approves the only pending prompt of a number, and returns its collection when it is paid. @throws Error after `ms`. */
  approved(msisdn?: string, ms?: number): Promise<CollectionRow>;
  /** Declines the only pending prompt of a number, and returns its collection when it is failed. @throws Error after `ms`. */
  declined(msisdn?: string, ms?: number): Promise<CollectionRow>;
  /** Dials, confirms and approves a payment, and returns its collection when it is paid. @throws Error after `ms`. */
  paidPayment(msisdn?: string, ms?: number): Promise<CollectionRow>;
  /** Dials, confirms a payment and returns the last screen. The dialler must not have a built-in screen at the start. */
  dialAndConfirm(msisdn?: string, amount?: string): Promise<string>;
  /** Returns the postings of a collection in the order of writing. */
  booked(id: string): Promise<PostingTuple[]>;
  /** Returns every event in the gateway's inbox in the order of arrival. */
  inbox(): Promise<StoredEvent[]>;
  /** Delivers an event and waits until every event in the inbox is handled. @throws Error when the gateway rejects it. */
  deliverHandled(event: object): Promise<void>;
  /** Drops every webhook of the service. */
  loseWebhooks(): void;
  /** Replaces the answer to every status poll. @returns a function that ends this. */
  answerPolls(answer: (sessionId: string) => object): () => void;
  /**
   * Holds the answers of the calls from now on, and returns when the first poll waits with its answer. `before` runs before each
   * call. `release` lets the answers pass; calls are held until the fault is removed.
   */
  holdPoll(before?: () => Promise<void>): Promise<Latch>;
  /** Creates a payment session beside the gateway, with the key of its merchant. */
  createSession(idempotencyKey: string, body: string): Promise<Response>;
  /** Returns how often the gateway made a call. */
  callsOf(name: 'create' | 'initiate' | 'status'): number;
  /** Returns the names of all alarms in the log, oldest first. */
  alarms(): string[];
  /** Returns every collection of the gateway, oldest first. */
  storedCollections(): Promise<StoredCollection[]>;
  /** Returns the status of each collection, oldest first. */
  statuses(): Promise<string[]>;
  /** Waits until the newest collection has this status and returns it. */
  untilNewest(status: string, ms?: number): Promise<StoredCollection>;
  /** Waits for the prompt of the newest collection, approves it, and returns the collection when it is paid. */
  approveNewest(msisdn?: string): Promise<StoredCollection>;
  /** As `approveNewest`, with a decline: returns the collection when it is failed. */
  declineNewest(msisdn?: string): Promise<StoredCollection>;
  /**
   * Compares the service's statement with the ledger: no session has two prompts, no two collections share a session, each
   * prompt belongs to a collection, and exactly the paid collections were charged. Returns the totals of the statement.
   */
  checkStatement(): Promise<{ pushes: number; sessions: number; chargedMinor: number }>;
};

export function scenesOf(till: TillPrograms): Scenes {
  const scenes: Scenes = {
    async prompted(msisdn = payer) {
      await till.pay(msisdn);
      return till.untilStatus(msisdn, 'initiated');
    },
    async approve(msisdn = payer) {
      const { id } = await till.prompt(msisdn);
      await till.service.phone.approve(id, '1234');
    },
    async decline(msisdn = payer) {
      await till.service.phone.decline((await till.prompt(msisdn)).id);
    },
    async approved(msisdn = payer, ms) {
      await scenes.approve(msisdn);
      return till.untilStatus(msisdn, 'paid', ms);
    },
    async declined(msisdn = payer, ms) {
      await scenes.decline(msisdn);
      return till.untilStatus(msisdn, 'failed', ms);
    },
    async paidPayment(msisdn = payer, ms) {
      await scenes.prompted(msisdn);
      return scenes.approved(msisdn, ms);
    },
    async dialAndConfirm(msisdn = payer, amount = '20') {
      const phone = till.phone(msisdn);
      await phone.dial();
      await phone.type('1', amount);
      return phone.press('Yes');
    },
    async booked(id) {
      const { postings } = await till.record(id);
      return postings.map(({ booking, account, amountMinor }) => [booking, account, amountMinor]);
    },
    inbox: () =>
      till.ledger.rows<StoredEvent>(
        'SELECT event_id AS id, state, session_id AS "sessionId", body FROM inbox ORDER BY received_at, event_id',
      ),
    async deliverHandled(event) {
      const { status } = await till.deliver(event);
      if (status !== 200) throw new Error(`the delivery was answered with ${status}`);
      await till.until(async () => (await scenes.inbox()).every((one) => one.state === 'handled'), 5_000);
    },
    loseWebhooks() {
      till.faults.webhook = async () => {
        throw new Error('the delivery was lost');
      };
    },
    answerPolls(answer) {
      till.faults.call = async (call, pass) => {
        const passed = await pass();
        if (call.name !== 'status') return passed;
        const { id } = (await passed.json()) as { id: string };
        return Response.json({ id, paid_at: null, retry_after_seconds: null, ...answer(id) });
      };
      return () => {
        delete till.faults.call;
      };
    },
    async holdPoll(before = async () => {}) {
      const held = createLatch();
      till.faults.call = async (_, pass) => {
        await before();
        const answer = await pass();
        await held.wait();
        return answer;
      };
      await till.until(() => scenes.callsOf('status') === 1);
      await held.reached;
      return held;
    },
    createSession: async (idempotencyKey, body) =>
      till.service.app.request('http://service.test/v1/payments/sessions', {
        method: 'POST',
        headers: {
          authorization: `Bearer ${till.config.merchants[0]?.key}`,
          'content-type': 'application/json',
          'idempotency-key': idempotencyKey,
        },
        body,
      }),
    callsOf: (name) => till.calls.filter((call) => call.name === name).length,
    alarms: () => [...till.logged().matchAll(/"alarm":"([^"]*)"/g)].map((match) => match[1] ?? ''),
    storedCollections: () =>
      till.ledger.rows<StoredCollection>(
        `SELECT id, merchant_id AS "merchant", payer, dialler, status, goods_minor AS "goodsMinor",
           session_id AS "sessionId", retry_of AS "retryOf", reason, review, short_reference AS "shortReference",
           lapsed_at IS NOT NULL AS "lapsed"
         FROM collection ORDER BY opened_at, id`,
      ),
    statuses: async () => (await scenes.storedCollections()).map(({ status }) => status),
    async untilNewest(status, ms = 60_000) {
      await till.until(async () => (await scenes.statuses()).at(-1) === status, ms);
      const newest = (await scenes.storedCollections()).at(-1);
      if (!newest) throw new Error('no collection');
      return newest;
    },
    async approveNewest(msisdn = payer) {
      await scenes.untilNewest('initiated');
      await scenes.approve(msisdn);
      return scenes.untilNewest('paid');
    },
    async declineNewest(msisdn = payer) {
      await scenes.untilNewest('initiated');
      await scenes.decline(msisdn);
      return scenes.untilNewest('failed');
    },
    async checkStatement() {
      const { sessions, pushes, chargedMinor } = await till.service.statement();
      const collections = await scenes.storedCollections();
      const bySession = new Map(collections.map((one) => [one.sessionId, one]));
      const sessionIds = collections.flatMap(({ sessionId }) => sessionId ?? []);
      expect(new Set(sessionIds).size).toBe(sessionIds.length);
      for (const session of sessions) expectMatch(session, bySession.get(session.sessionId));
      expect((await till.verify()).faults).toEqual([]);
      return { pushes, sessions: sessions.length, chargedMinor };
    },
  };
  return scenes;
}

function expectMatch(session: StatementRow, collection: StoredCollection | undefined): void {
  const { pushes, chargedMinor } = session;
  expect(pushes, `prompts of ${session.sessionId}`).toBeLessThanOrEqual(1);
  if (pushes > 0) expect(collection, `the collection of ${session.sessionId}`).toBeDefined();
  // A session without a collection was never initiated.
  if (!collection) expect(['created', 'expired']).toContain(session.status);
  if (chargedMinor > 0) expect(chargedMinor).toBe(session.amountMinor);
  if (collection?.status === 'paid') expect(chargedMinor).toBeGreaterThan(0);
  if (collection && ['failed', 'expired', 'abandoned'].includes(collection.status))
    expect(chargedMinor).toBe(0);
}

export type Latch = { reached: Promise<void>; isReached(): boolean; release(): void; wait(): Promise<void> };

/** Creates a latch at which a call waits until the test releases it. `reached` resolves, and `isReached` is true, when the first call waits. */
export function createLatch(): Latch {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  let isReached = false;
  return {
    reached: reached.promise,
    isReached: () => isReached,
    release: () => released.resolve(),
    wait() {
      isReached = true;
      reached.resolve();
      return released.promise;
    },
  };
}
