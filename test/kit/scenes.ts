import type { CollectionRow } from '../../src/gateway/collection/collection.ts';
import type { Till } from './till.ts';

/** A posting in short form: `[booking, account, pesewas]`. */
export type PostingTuple = [booking: string, account: string, amountMinor: number];

/** Dials and confirms a payment, and returns the collection when its prompt is on the handset. */
export async function prompted(till: Till, msisdn = '0244123456'): Promise<CollectionRow> {
  await till.pay(msisdn);
  return till.untilStatus(msisdn, 'initiated');
}

/** Approves the only pending prompt of a number with a PIN. */
export async function approve(till: Till, msisdn = '0244123456'): Promise<void> {
  const { id } = await till.prompt(msisdn);
  await till.service.phone.approve(id, '1234');
}

/** Declines the only pending prompt of a number. */
export async function decline(till: Till, msisdn = '0244123456'): Promise<void> {
  await till.service.phone.decline((await till.prompt(msisdn)).id);
}

/** Approves the only pending prompt of a number, and returns its collection when it is paid. @throws Error after `ms`. */
export async function approved(till: Till, msisdn = '0244123456', ms?: number): Promise<CollectionRow> {
  await approve(till, msisdn);
  return till.untilStatus(msisdn, 'paid', ms);
}

/** Declines the only pending prompt of a number, and returns its collection when it is failed. @throws Error after `ms`. */
export async function declined(till: Till, msisdn = '0244123456', ms?: number): Promise<CollectionRow> {
  await decline(till, msisdn);
  return till.untilStatus(msisdn, 'failed', ms);
}

/** Dials, confirms and approves a payment, and returns its collection when it is paid. @throws Error after `ms`. */
export async function paidPayment(till: Till, msisdn = '0244123456', ms?: number): Promise<CollectionRow> {
  await prompted(till, msisdn);
  return approved(till, msisdn, ms);
}

/** Returns the postings of a collection in the order of writing. */
export async function booked(till: Till, id: string): Promise<PostingTuple[]> {
  const { postings } = await till.record(id);
  return postings.map(({ booking, account, amountMinor }) => [booking, account, amountMinor]);
}

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

/** Returns every event in the gateway's inbox in the order of arrival. */
export function inbox(till: Till): Promise<StoredEvent[]> {
  return till.ledger.rows<StoredEvent>(
    'SELECT event_id AS id, state, session_id AS "sessionId", body FROM inbox ORDER BY received_at, event_id',
  );
}

/** Delivers an event and waits until every event in the inbox is handled. @throws Error when the gateway rejects it. */
export async function deliverHandled(till: Till, event: object): Promise<void> {
  const { status } = await till.deliver(event);
  if (status !== 200) throw new Error(`the delivery was answered with ${status}`);
  await till.until(async () => (await inbox(till)).every((one) => one.state === 'handled'), 5_000);
}

/** Drops every webhook of the service. */
export function loseWebhooks(till: Till): void {
  till.faults.webhook = async () => {
    throw new Error('the delivery was lost');
  };
}

/** Replaces the answer to every status poll. @returns a function that ends this. */
export function answerPolls(till: Till, answer: (sessionId: string) => object): () => void {
  till.faults.call = async (call, pass) => {
    const passed = await pass();
    if (call.name !== 'status') return passed;
    const { id } = (await passed.json()) as { id: string };
    return Response.json({ id, paid_at: null, retry_after_seconds: null, ...answer(id) });
  };
  return () => {
    delete till.faults.call;
  };
}

export type Latch = { reached: Promise<void>; release(): void; wait(): Promise<void> };

/** Creates a latch at which a call waits until the test releases it. `reached` resolves when the first call waits. */
export function createLatch(): Latch {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  return {
    reached: reached.promise,
    release: () => released.resolve(),
    wait() {
      reached.resolve();
      return released.promise;
    },
  };
}

/** Returns how often the gateway made a call. */
export function callsOf(till: Till, name: 'create' | 'initiate' | 'status'): number {
  return till.calls.filter((call) => call.name === name).length;
}

/** Returns the names of all alarms in the log, oldest first. */
export function alarms(till: Till): string[] {
  return [...till.logged().matchAll(/"alarm":"([^"]*)"/g)].map((match) => match[1] ?? '');
}

/**
 * Holds the answers of the calls from now on, and returns when the first poll waits with its answer. `before` runs before each
 * call. `release` lets the answers pass; calls are held until the fault is removed.
 */
export async function holdPoll(till: Till, before = async () => {}): Promise<Latch> {
  const held = createLatch();
  till.faults.call = async (_, pass) => {
    await before();
    const answer = await pass();
    await held.wait();
    return answer;
  };
  await till.until(() => callsOf(till, 'status') === 1);
  await held.reached;
  return held;
}
