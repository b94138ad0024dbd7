import Database from 'better-sqlite3';
import type { CollectionRow } from '../../src/gateway/collection/collection.ts';
import type { Till } from './till.ts';

/** A posting as it is told here: `[booking, account, pesewas]`. */
export type PostingTuple = [booking: string, account: string, amountMinor: number];

/** Pays from the dial to the prompt on the handset, and returns the collection that waits for it. */
export async function prompted(till: Till, msisdn = '0244123456'): Promise<CollectionRow> {
  await till.pay(msisdn);
  return till.untilStatus(msisdn, 'initiated');
}

/** Types the PIN on the handset of the only prompt that waits there. */
export async function approve(till: Till, msisdn = '0244123456'): Promise<void> {
  const { id } = await till.prompt(msisdn);
  await till.service.phone.approve(id, '1234');
}

/** What was booked for a collection, in the order of writing. */
export async function booked(till: Till, id: string): Promise<PostingTuple[]> {
  const { postings } = await till.record(id);
  return postings.map(({ booking, account, amountMinor }) => [booking, account, amountMinor]);
}

/** The postings of the collection that the demo menu makes: goods for GHS 20.00, a fee of GHS 0.20. */
export const paidInFull: PostingTuple[] = [
  ['paid', 'payers', -2_020],
  ['paid', 'merchant:demo-shop', 2_000],
  ['paid', 'service_fees', 20],
];

/** What stands in suspense after so much arrived that a person must place. */
export function inSuspense(amountMinor: number): PostingTuple[] {
  return [
    ['suspense', 'payers', -amountMinor],
    ['suspense', 'suspense', amountMinor],
  ];
}

export type StoredEvent = { id: string; state: string; sessionId: string | null; body: string };

/** Every event in the gateway's inbox, in the order of arrival. */
export function inbox(till: Till): StoredEvent[] {
  const file = new Database(till.config.database.file, { readonly: true });
  try {
    const rows = file.prepare(
      'SELECT event_id AS id, state, session_id AS sessionId, body FROM inbox ORDER BY rowid',
    );
    return rows.all() as StoredEvent[];
  } finally {
    file.close();
  }
}

/** Delivers an event, and waits until everything in the inbox was handled. Throws when it is not taken. */
export async function deliverHandled(till: Till, event: object): Promise<void> {
  const { status } = await till.deliver(event);
  if (status !== 200) throw new Error(`the delivery was answered with ${status}`);
  await till.until(() => inbox(till).every((one) => one.state === 'handled'), 5_000);
}

/** Loses every webhook that the service sends. */
export function loseWebhooks(till: Till): void {
  till.faults.webhook = async () => {
    throw new Error('the delivery was lost');
  };
}

/** Answers every status poll in the service's place. Returns how to stop doing so. */
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

/** A place where a call stands still until the test lets it go on. */
export function createLatch(): Latch {
  const noop = () => {};
  let reach = noop;
  let release = noop;
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return {
    reached,
    release: () => release(),
    wait() {
      reach();
      return released;
    },
  };
}

/** How often the gateway made a call. */
export function callsOf(till: Till, name: 'create' | 'initiate' | 'status'): number {
  return till.calls.filter((call) => call.name === name).length;
}

/** How often somebody was told that a collection needs a person, and why. */
export function alarms(till: Till): string[] {
  return [...till.logged().matchAll(/"alarm":"([^"]*)"/g)].map((match) => match[1] ?? '');
}
