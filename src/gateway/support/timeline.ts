import type { CurrencyAmount } from '../../contract/service/field.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { unreachable } from '../../shared/errors.ts';
import { formatCedis } from '../../shared/money.ts';
import type { CollectionIntent } from '../collection/collection.ts';
import type { DecidedData, RecordedFact } from '../collection/fact.ts';
import { readFact } from '../collection/fact-row.ts';
import type { TurnRow } from '../dialogue/turn-store.ts';
import type { ActionRow } from './action-query.ts';
import { causalOrder } from './causal-order.ts';
import type { CollectionRecord, EventRow, FactRow } from './collection-query.ts';

/** One entry of a collection's timeline. */
export type TimelineEntry = {
  at: EpochMs;
  /** The source of the entry. `dialler`: the phone that requested the payment, when it is not the payer's. */
  kind: 'payer' | 'dialler' | 'screen' | 'notice' | 'call' | 'poll' | 'webhook' | 'status' | 'support';
  text: string;
  /** How long a call took; null for other entries. */
  ms: number | null;
  /** What a poll reported. Polls in a row that reported the same are one event to a reader. Absent for other entries. */
  reported?: string;
};

type Description = Pick<TimelineEntry, 'kind' | 'text' | 'reported'> & { ms?: number | undefined };

/**
 * Lists what happened to a collection, in the order of cause and effect: screens and inputs, the end of the session, calls,
 * webhooks and polls.
 */
export function timeline(record: CollectionRecord): TimelineEntry[] {
  const entries = {
    turn: record.turns.map((turn) => turnEntries(turn, record.collection)),
    event: record.events.map((row) => [eventEntry(row)]),
    fact: record.facts.map((row) => [factEntry(row)]),
    action: record.actions.map((row) => [actionEntry(row)]),
  };
  return causalOrder(record).flatMap(({ source, index }) => entries[source][index] ?? []);
}

/**
 * Returns the entries of a turn: the input and the screen, or the notice of the end.
 *
 * @param payer the phone that pays. The phone of the turn is the dialler unless it is this one.
 */
export function turnEntries(
  { at, ending, ussdRef, dialler, input, screen, reply }: TurnRow,
  { payer }: { payer?: string } = {},
): TimelineEntry[] {
  // An end notice has neither an input nor a screen.
  if (ending !== null)
    return [{ at, kind: 'notice', text: `the aggregator reports: session ${ending}`, ms: null }];
  const ref = ussdRef === null ? '' : ` (aggregator's reference ${ussdRef})`;
  const action = input === null ? 'dialled' : `entered ${input}`;
  const end = reply === 'end' ? ' (END)' : '';
  return [
    { at, kind: payer === dialler ? 'payer' : 'dialler', text: `${action}${ref}`, ms: null },
    { at, kind: 'screen', text: `${screen}${end}`, ms: null },
  ];
}

const eventStates: Readonly<Record<string, string>> = { parked: 'parked', dead: 'dead-lettered' };

function eventEntry({ receivedAt, type, eventId, state }: EventRow): TimelineEntry {
  const note = state === 'handled' ? '' : ` (${eventStates[state] ?? state})`;
  return { at: receivedAt, kind: 'webhook', text: `received ${type} ${eventId}${note}`, ms: null };
}

function actionEntry({ at, actor, action, result, detail }: ActionRow): TimelineEntry {
  const done = describeAction(action, JSON.parse(detail));
  return {
    at,
    kind: 'support',
    text: `${actor}: ${done}${result === 'refused' ? ' (refused)' : ''}`,
    ms: null,
  };
}

function describeAction(action: string, detail: Readonly<Record<string, unknown>>): string {
  if (action === 'note') return `note: ${String(detail.text)}`;
  if (action === 'reveal') return `saw the whole numbers: ${String(detail.reason)}`;
  const because = detail.reason === undefined ? '' : `: ${String(detail.reason)}`;
  if (action === 'assign')
    return `${detail.to == null ? 'unassigned' : `assigned to ${detail.to}`}${because}`;
  if (action === 'block_number' || action === 'unblock_number') return describeBlock(action, detail);
  if (action === 'check') return `check now${because}`;
  if (action === 'resend') return `sent ${String(detail.type)} again to ${String(detail.url)}`;
  return Object.keys(detail).length === 0 ? action : `${action}: ${describeDetail(detail)}`;
}

function describeBlock(
  action: 'block_number' | 'unblock_number',
  { role, merchant, until, reason }: Readonly<Record<string, unknown>>,
): string {
  const done = action === 'block_number' ? 'blocked' : 'unblocked';
  const place = merchant === 'all' ? 'all merchants' : String(merchant);
  const end = typeof until === 'number' ? ` until ${new Date(until).toISOString()}` : '';
  return `${done} the ${String(role)} at ${place}${end}: ${String(reason)}`;
}

/** Returns the entry of a fact, as support staff read it. */
export function factEntry(row: FactRow): TimelineEntry {
  const { ms = null, ...described } = describeFact(readFact(row));
  return { at: row.at, ...described, ms };
}

function describeFact(fact: RecordedFact): Description {
  switch (fact.kind) {
    case 'accepted':
      return { kind: 'status', text: `accepted: ${describeIntent(fact.data)}` };
    case 'called': {
      const { call, outcome, httpStatus, code, detail, ms } = fact.data;
      const cause = [httpStatus, code ?? detail].filter((part) => part !== undefined).join(' ');
      const text = `${call}: ${outcome}${cause ? ` (${cause})` : ''}`;
      return call === 'status' ? { kind: 'poll', text, reported: text, ms } : { kind: 'call', text, ms };
    }
    case 'created': {
      const { sessionId, amountMinor, feeMinor, ms } = fact.data;
      const amounts = `total ${formatCedis(amountMinor)}, fee ${formatCedis(feeMinor)}`;
      return { kind: 'call', text: `create: payment session ${sessionId}, ${amounts}`, ms };
    }
    case 'orphaned':
      return {
        kind: 'call',
        text: `create: the service returned a second payment session ${fact.data.sessionId}, which is never initiated`,
      };
    case 'prompt_requested':
      return {
        kind: 'call',
        text: fact.data.send === 1 ? 'initiate: sent' : `initiate: sent again (${fact.data.send})`,
      };
    case 'initiated':
      return fact.data.ms === undefined
        ? { kind: 'status', text: 'initiated: a poll shows that the prompt was sent' }
        : { kind: 'call', text: 'initiate: ok, the prompt was sent', ms: fact.data.ms };
    case 'polled': {
      const { status, terminal, retryAfterSeconds, reviewMinor, ms } = fact.data;
      const wait = retryAfterSeconds === undefined ? '' : `, next poll after ${retryAfterSeconds} s`;
      const review = reviewMinor === undefined ? '' : `, in review with ${formatCedis(reviewMinor)}`;
      const reported = `status: ${status}${terminal ? ' (final)' : ''}${review}`;
      return { kind: 'poll', text: `${reported}${wait}`, reported, ms };
    }
    case 'event':
      return { kind: 'webhook', text: `processed ${fact.data.type} ${fact.data.eventId}` };
    case 'paid': {
      const { amountMinor, source, late } = fact.data;
      const notes = [...(late ? ['late'] : []), ...(source === 'webhook' ? ['unconfirmed'] : [])];
      const text = `paid: ${formatCedis(amountMinor)} (source: ${source})`;
      return { kind: 'status', text: [text, ...notes].join(', ') };
    }
    case 'amounts_confirmed':
      return { kind: 'webhook', text: `the webhook ${fact.data.eventId} confirms the amounts` };
    case 'confirmed':
      return { kind: 'status', text: 'confirmed: a poll agrees that it is paid', ms: fact.data.ms };
    case 'suspended':
      return {
        kind: 'status',
        text: `suspended: ${formatCedis(fact.data.amountMinor)} booked into suspense`,
      };
    case 'suspense_corrected':
      return {
        kind: 'status',
        text: `corrected: the amount in suspense is ${formatCedis(fact.data.amountMinor)}`,
      };
    case 'failure_reported':
      return { kind: 'webhook', text: `a webhook reports a failure: ${fact.data.reason}; a poll must agree` };
    case 'failed':
    case 'expired':
    case 'abandoned':
      return { kind: 'status', text: `${fact.kind}: ${fact.data.reason}` };
    case 'review_opened':
      return { kind: 'status', text: `review: ${fact.data.reason}` };
    case 'flagged':
      return { kind: 'status', text: `flagged for review: ${fact.data.reason}` };
    case 'lapsed':
      return { kind: 'status', text: 'lapsed: no result yet; the payer may retry; polling continues' };
    case 'restored':
      return {
        kind: 'status',
        text: `restored: open in ${describeBackup(fact.data.takenAt)}; the gateway polls the service`,
      };
    case 'prompt_confirmed':
      return { kind: 'status', text: 'found after the restore: the service had sent a prompt' };
    case 'clock_corrected': {
      const now = new Date(fact.data.now).toISOString();
      return { kind: 'status', text: `clock corrected: the system clock was ahead; the time is ${now}` };
    }
    case 'decided': {
      return { kind: 'support', text: describeDecision(fact.data) };
    }
    case 'refund_reported': {
      const { amountMinor, reference, by, endsReview } = fact.data;
      const end = endsReview ? '; the review has ended' : '';
      const text = `the service returned ${formatCedis(amountMinor)} to the payer: ${reference}, by ${by}${end}`;
      return { kind: 'webhook', text };
    }
    case 'other_currency_reported': {
      const text = `the service reports ${describeCurrencyAmount(fact.data)}: it is not booked`;
      return { kind: 'status', text };
    }
    case 'matched': {
      const { amountMinor, unplacedId, by, approvedBy, evidence } = fact.data;
      const people = approvedBy === by ? by : `${by}, approved by ${approvedBy}`;
      const text = `matched with ${unplacedId}, ${formatCedis(amountMinor)}, by ${people}: ${evidence}`;
      return { kind: 'support', text };
    }
    case 'service_decides':
      return { kind: 'status', text: 'a person at the service decides about the money; polling continues' };
    case 'service_undecided':
      return {
        kind: 'status',
        text:
          fact.data.reason === 'no_outcome'
            ? 'the service has not decided in time: people here decide'
            : 'the service contradicts its review: people here decide',
      };
    default:
      return unreachable(fact);
  }
}

function describeDecision({ outcome, source, by, approvedBy, evidence, reference }: DecidedData): string {
  if (source === 'service') {
    return outcome === 'accept'
      ? 'the service accepted the money that arrived'
      : 'the service rejected the money that arrived, and owes it to the payer';
  }
  const people = approvedBy === by ? by : `${by}, approved by ${approvedBy}`;
  const transfer = reference === undefined ? '' : ` (reference of the return ${reference})`;
  return `decided ${outcome} by ${people}${transfer}: ${evidence}`;
}

function describeIntent({ goodsMinor, reference, shownTotalMinor, retryOf }: CollectionIntent): string {
  return [
    `price ${formatCedis(goodsMinor)}`,
    ...(shownTotalMinor === null ? [] : [`total shown ${formatCedis(shownTotalMinor)}`]),
    `reference ${reference}`,
    ...(retryOf ? [`retry of ${retryOf}`] : []),
  ].join(', ');
}

function describeBackup(takenAt: EpochMs | null): string {
  return takenAt === null ? 'a backup' : `the backup of ${new Date(takenAt).toISOString()}`;
}

/** Describes money in another currency, in its smallest unit: the number of its decimals is not known here. */
export function describeCurrencyAmount({ currency, amountMinor }: CurrencyAmount): string {
  const unit = amountMinor === null ? '' : `, ${amountMinor} of its smallest unit`;
  return `money in another currency (${currency}${unit})`;
}

/** Characters of one field: those of the longest text that a person writes. Lists in JSON can be longer. */
const maxDetail = 1_000;

/** Formats the fields of an action of support staff: `reason: asked for it, until: 2026-12-31T00:00:00.000Z`. */
export function describeDetail(detail: Readonly<Record<string, unknown>>): string {
  const fields = Object.entries(detail).filter(([, value]) => value !== null);
  const shown = (name: string, value: unknown) => {
    if (name === 'until' && typeof value === 'number') return new Date(value).toISOString();
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
    return text.length > maxDetail ? `${text.slice(0, maxDetail)}… (cut)` : text;
  };
  return fields.map(([name, value]) => `${name}: ${shown(name, value)}`).join(', ');
}
