import type { EpochMs } from '../../shared/clock.ts';
import { unreachable } from '../../shared/errors.ts';
import { formatCedis } from '../../shared/money.ts';
import type { RecordedIntent } from '../collection/collection.ts';
import type { RecordedFact } from '../collection/fact.ts';
import type { CollectionRecord, EventRow, FactRow, TurnRow } from './collection-query.ts';

/** One line of a collection's story. */
export type TimelineEntry = {
  at: EpochMs;
  /** Who or what acted. */
  kind: 'payer' | 'screen' | 'notice' | 'call' | 'poll' | 'webhook' | 'status' | 'support';
  text: string;
};

/**
 * Tells a collection's story in order: every screen and key, the session's end, every call, webhook and poll. Entries of the same
 * millisecond keep the order in which they can have happened: keys, screens, then what they caused.
 */
export function timeline(file: CollectionRecord): TimelineEntry[] {
  const entries = [
    ...file.turns.flatMap(turnEntries),
    ...file.events.map(eventEntry),
    ...file.facts.flatMap((row) => factEntries(row)),
  ];
  return entries
    .map((entry, index) => ({ entry, index }))
    .sort((a, b) => a.entry.at - b.entry.at || a.index - b.index)
    .map(({ entry }) => entry);
}

function turnEntries({ at, ending, ussdRef, input, screen, reply }: TurnRow): TimelineEntry[] {
  // Nobody pressed a key, and nobody saw a screen.
  if (ending !== null) return [{ at, kind: 'notice', text: `the network says: session ${ending}` }];
  const ref = ussdRef === null ? '' : ` (aggregator's reference ${ussdRef})`;
  const typed = input === null ? 'dialled' : `typed ${input}`;
  const end = reply === 'end' ? ' (END)' : '';
  return [
    { at, kind: 'payer', text: `${typed}${ref}` },
    { at, kind: 'screen', text: `${screen}${end}` },
  ];
}

function eventEntry(event: EventRow): TimelineEntry {
  const state = event.state === 'handled' ? '' : ` (${event.state})`;
  return { at: event.receivedAt, kind: 'webhook', text: `received ${event.type} ${event.eventId}${state}` };
}

function factEntries(row: FactRow): TimelineEntry[] {
  const fact = { kind: row.kind, data: JSON.parse(row.data), at: row.at } as RecordedFact;
  const told = tell(fact);
  return told ? [{ at: row.at, ...told }] : [];
}

function tellOpening({ goodsMinor, reference, shownTotalMinor, retryOf }: RecordedIntent): string {
  // Older facts have neither of the last two.
  const total = shownTotalMinor ?? null;
  return [
    formatCedis(goodsMinor),
    ...(total === null ? [] : [`${formatCedis(total)} with the fee on the screen`]),
    `reference ${reference}`,
    ...(retryOf ? [`again of ${retryOf}`] : []),
  ].join(', ');
}

function tell(fact: RecordedFact): Omit<TimelineEntry, 'at'> | undefined {
  switch (fact.kind) {
    case 'accepted':
      return { kind: 'status', text: `accepted: ${tellOpening(fact.data)}` };
    case 'called': {
      const { call, outcome, httpStatus, code, detail, ms } = fact.data;
      const why = [httpStatus, code ?? detail].filter((part) => part !== undefined).join(' ');
      return {
        kind: call === 'status' ? 'poll' : 'call',
        text: `${call}: ${outcome}${why ? ` (${why})` : ''} ${ms} ms`,
      };
    }
    case 'created': {
      const { sessionId, amountMinor, feeMinor, ms } = fact.data;
      return {
        kind: 'call',
        text: `create: ${sessionId}, ${formatCedis(amountMinor)} with fee ${formatCedis(feeMinor)} ${ms} ms`,
      };
    }
    case 'orphaned':
      return {
        kind: 'call',
        text: `create answered a second session, ${fact.data.sessionId}: never initiated`,
      };
    case 'prompt_requested':
      return {
        kind: 'call',
        text: fact.data.send === 1 ? 'initiate: sent' : `initiate: sent again (${fact.data.send})`,
      };
    case 'initiated':
      return fact.data.ms === undefined
        ? { kind: 'status', text: 'initiated: the status says so' }
        : { kind: 'call', text: `initiate: accepted, the prompt is out ${fact.data.ms} ms` };
    case 'polled': {
      const { status, terminal, retryAfterSeconds, ms } = fact.data;
      const wait = retryAfterSeconds === undefined ? '' : `, ask again in ${retryAfterSeconds} s`;
      return { kind: 'poll', text: `status: ${status}${terminal ? ' (final)' : ''}${wait} ${ms} ms` };
    }
    case 'event':
      return { kind: 'webhook', text: `handled ${fact.data.type} ${fact.data.eventId}` };
    case 'paid': {
      const { amountMinor, source, late } = fact.data;
      return {
        kind: 'status',
        text: `paid: ${formatCedis(amountMinor)} (source: ${source})${late ? ', late' : ''}`,
      };
    }
    case 'amounts_confirmed':
      return { kind: 'webhook', text: 'the event confirms the amounts' };
    case 'suspended':
      return { kind: 'status', text: `${formatCedis(fact.data.amountMinor)} moved to suspense` };
    case 'failed':
    case 'expired':
    case 'abandoned':
      return { kind: 'status', text: `${fact.kind}: ${fact.data.reason}` };
    case 'review_opened':
      return { kind: 'status', text: `review: ${fact.data.reason}` };
    case 'flagged':
      return { kind: 'status', text: `flagged for review: ${fact.data.reason}` };
    case 'lapsed':
      return { kind: 'status', text: 'no answer yet: shown as unanswered, watched on' };
    case 'restored':
      return { kind: 'status', text: `restored: open in ${copyOf(fact.data.takenAt)}, to be asked for` };
    case 'prompt_confirmed':
      return { kind: 'status', text: 'found after the restore: a prompt had been asked for' };
    case 'clock_corrected': {
      const now = new Date(fact.data.now).toISOString();
      return { kind: 'status', text: `the clock was ahead: at ${now} it was put right` };
    }
    case 'decided':
      return { kind: 'support', text: `${fact.data.by} decided ${fact.data.outcome}: ${fact.data.reason}` };
    default:
      return unreachable(fact);
  }
}

function copyOf(takenAt: EpochMs | null): string {
  return takenAt === null ? 'an older copy' : `a copy of ${new Date(takenAt).toISOString()}`;
}
