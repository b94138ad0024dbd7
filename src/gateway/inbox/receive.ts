import { eventEnvelope } from '../../contract/service/reading.ts';
import type { Clock, EpochMs } from '../../shared/clock.ts';
import { parseJson } from '../../shared/json.ts';
import { annotate, traced } from '../../shared/tracing.ts';
import { pollNowWrite } from '../collection/store/job-store.ts';
import { type InboxRow, type InboxStore, inboxWrites } from './inbox-store.ts';
import type { InboxQueue } from './queue.ts';
import { type SignatureSettings, verifySignature } from './signature.ts';

export type ReceiveDeps = {
  inbox: InboxStore;
  clock: Clock;
  signature: SignatureSettings;
  /** Handles the events that are stored under a lease: they need no claim. Without it, every event is claimed. */
  queue?: Pick<InboxQueue, 'leaseFor' | 'handOver'>;
  /** Returns the largest number of webhook secrets of a merchant. */
  maxSecrets(): number;
};

export type WebhookDelivery = {
  /** Absent when the address names no merchant. Such a delivery is forged, and is verified with the same effort. */
  merchant: { id: string; livemode: 0 | 1; webhookSecrets: readonly string[] } | undefined;
  signature: string | undefined;
  /** The event id in the request header, when present. */
  eventId: string | undefined;
  /** The raw bytes, which the signature covers. */
  body: Uint8Array;
};

/** The result of a delivery. Only `stored`, `duplicate` and `hint` (a stale event) are acknowledged with 2xx. */
export type Receipt =
  | { kind: 'stored' | 'duplicate' | 'hint'; eventId: string; secretIndex: number }
  | { kind: 'forged' }
  | { kind: 'unreadable'; detail: string };

/**
 * Verifies one delivery and stores its event once. The worker handles it later: an acknowledgement promises only that
 * the event is on disk (rule R5).
 *
 * A delivery with a valid signature and an old timestamp is stored as a stale event (`hint`), which causes one poll of its session.
 *
 * @throws StoreFault when the event was not stored; the sender must retry.
 */
export function receive(deps: ReceiveDeps, delivery: WebhookDelivery): Promise<Receipt> {
  const attributes = {
    'http.route': '/webhooks/:merchant',
    'dialtill.merchant': delivery.merchant?.id ?? 'unknown',
  };
  return traced('webhook', { attributes, kind: 'server' }, async () => {
    const receipt = await receiveDelivery(deps, delivery);
    annotate({ 'dialtill.outcome': receipt.kind });
    return receipt;
  });
}

async function receiveDelivery(deps: ReceiveDeps, delivery: WebhookDelivery): Promise<Receipt> {
  const { merchant, body } = delivery;
  const receivedAt = deps.clock.now();
  const signed = { header: delivery.signature, eventId: delivery.eventId, body, receivedAt };
  const secrets = merchant?.webhookSecrets ?? [];
  const check = verifySignature(deps.signature, secrets, signed, deps.maxSecrets());
  if (!merchant || check.kind === 'forged') return { kind: 'forged' };

  const event = readEvent(body);
  if (typeof event === 'string') return { kind: 'unreadable', detail: event };
  if (delivery.eventId !== undefined && delivery.eventId !== event.id) {
    return { kind: 'unreadable', detail: 'the event id in the header differs from the one in the body' };
  }

  const stale = check.kind === 'stale';
  const leaseUntil = deps.queue?.leaseFor(merchant.id, receivedAt);
  const row: InboxRow = {
    merchantId: merchant.id,
    eventId: event.id,
    livemode: merchant.livemode,
    type: event.type,
    sessionId: event.data.id ?? null,
    body: event.text,
    receivedAt,
    state: 'waiting',
    nextAt: leaseUntil ?? receivedAt,
    leaseUntil: leaseUntil ?? 0,
    attempts: leaseUntil === undefined ? 0 : 1,
    stale: stale ? 1 : 0,
  };
  const answer = { eventId: event.id, secretIndex: check.secretIndex };
  const poll = stale && row.sessionId !== null ? [pollNowWrite(merchant.id, row.sessionId, receivedAt)] : [];
  if (await deps.inbox.apply(inboxWrites.insert(row), ...poll)) {
    if (leaseUntil !== undefined) deps.queue?.handOver(row);
    return { kind: stale ? 'hint' : 'stored', ...answer };
  }
  return {
    kind: (await promoteStaleEvent(deps.inbox, row, stale, receivedAt)) ? 'stored' : 'duplicate',
    ...answer,
  };
}

/** Promotes a stored stale event when the same body is delivered again with a current signature. */
async function promoteStaleEvent(
  inbox: InboxStore,
  row: InboxRow,
  stale: boolean,
  now: EpochMs,
): Promise<boolean> {
  if (stale) return false;
  const known = await inbox.find(row);
  if (known?.stale !== 1 || known.state === 'handled' || known.body !== row.body) return false;
  return inbox.apply(inboxWrites.promote({ merchantId: row.merchantId, eventId: row.eventId }, now));
}

function readEvent(body: Uint8Array) {
  let json: ReturnType<typeof parseJson>;
  try {
    json = parseJson(body);
  } catch {
    return 'the body is not unambiguous JSON in UTF-8';
  }
  const parsed = eventEnvelope.safeParse(json.value);
  return parsed.success
    ? { ...parsed.data, text: json.text }
    : 'the body is not an event with id, type, created_at and data';
}
