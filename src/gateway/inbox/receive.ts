import { eventEnvelope } from '../../contract/reading.ts';
import type { Clock, EpochMs } from '../../shared/clock.ts';
import { parseJson } from '../../shared/json.ts';
import { pollNowWrite } from '../collection/store/due-store.ts';
import { type InboxRow, type InboxStore, inboxWrites } from './inbox-store.ts';
import { type SignatureSettings, verifySignature } from './signature.ts';

export type ReceiveDeps = { inbox: InboxStore; clock: Clock; signature: SignatureSettings };

export type Delivery = {
  merchant: { id: string; livemode: 0 | 1; webhookSecrets: readonly string[] };
  signature: string | undefined;
  /** The header that repeats the event's id, where it was sent. */
  eventId: string | undefined;
  /** The bytes as they arrived: the signature covers these and nothing else. */
  body: Uint8Array;
};

/** What to tell the sender. Only `stored`, `duplicate` and `hint` may be acknowledged with 2xx. */
export type Receipt =
  | { kind: 'stored' | 'duplicate' | 'hint'; eventId: string; secretIndex: number }
  | { kind: 'forged' }
  | { kind: 'unreadable'; detail: string };

/**
 * Takes in one delivery: verifies it, stores it once, and says whether it may be acknowledged. Nothing is handled
 * here; that it is on disk is all an acknowledgement promises (rule R5).
 *
 * A delivery that is signed well but too old is kept as a hint: it makes the worker poll its session once, and is looked
 * at as one.
 *
 * @throws StoreFault when it could not be stored: then the sender must be made to retry.
 */
export async function receive(deps: ReceiveDeps, delivery: Delivery): Promise<Receipt> {
  const { merchant, body } = delivery;
  const receivedAt = deps.clock.now();
  const check = verifySignature(
    deps.signature,
    merchant.webhookSecrets,
    delivery.signature,
    body,
    receivedAt,
  );
  if (check.kind === 'forged') return check;

  const event = readEvent(body);
  if (typeof event === 'string') return { kind: 'unreadable', detail: event };
  if (delivery.eventId !== undefined && delivery.eventId !== event.id) {
    return { kind: 'unreadable', detail: 'the event id in the header is not the one in the body' };
  }

  const stale = check.kind === 'stale';
  const row: InboxRow = {
    merchantId: merchant.id,
    eventId: event.id,
    livemode: merchant.livemode,
    type: event.type,
    sessionId: event.data.id ?? null,
    body: event.text,
    receivedAt,
    state: 'waiting',
    nextAt: receivedAt,
    leaseUntil: 0,
    attempts: 0,
    stale: stale ? 1 : 0,
  };
  const answer = { eventId: event.id, secretIndex: check.secretIndex };
  const hint = stale && row.sessionId !== null ? [pollNowWrite(merchant.id, row.sessionId, receivedAt)] : [];
  if (await deps.inbox.apply(inboxWrites.insert(row), ...hint))
    return { kind: stale ? 'hint' : 'stored', ...answer };
  return { kind: (await again(deps.inbox, row, stale, receivedAt)) ? 'stored' : 'duplicate', ...answer };
}

/** The id is known. News only when it was known as a hint and now comes in time, with the same words. */
async function again(inbox: InboxStore, row: InboxRow, stale: boolean, now: EpochMs): Promise<boolean> {
  if (stale) return false;
  const known = await inbox.find(row);
  if (known?.stale !== 1 || known.body !== row.body) return false;
  return inbox.apply(inboxWrites.promote({ merchantId: row.merchantId, eventId: row.eventId }, now));
}

function readEvent(body: Uint8Array) {
  let json: ReturnType<typeof parseJson>;
  try {
    json = parseJson(body);
  } catch {
    return 'the body is not JSON in UTF-8 that can be read in one way only';
  }
  const parsed = eventEnvelope.safeParse(json.value);
  return parsed.success
    ? { ...parsed.data, text: json.text }
    : 'the body is not an event: id, type, created_at, data';
}
