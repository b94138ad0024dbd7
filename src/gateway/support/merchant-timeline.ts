import { unreachable } from '../../shared/errors.ts';
import { formatCedis } from '../../shared/money.ts';
import type { RecordedFact } from '../collection/fact.ts';
import { readFact } from '../collection/fact-row.ts';
import { causalOrder } from './causal-order.ts';
import type { CollectionRecord } from './collection-query.ts';
import { factEntry, type TimelineEntry, turnEntries } from './timeline.ts';

/**
 * Lists what happened to a collection for people of its merchant: the payer's phone, and the results. It has no calls, polls
 * and webhooks, and nothing that support staff wrote: no notes, names and evidence.
 */
export function merchantTimeline(record: CollectionRecord): TimelineEntry[] {
  const entries = {
    turn: record.turns.map((turn) => turnEntries(turn, record.collection)),
    event: [],
    fact: record.facts.map((row) => merchantFactEntries(readFact(row), factEntry(row))),
    action: [],
  };
  return causalOrder({ ...record, events: [], actions: [] }).flatMap(
    ({ source, index }) => entries[source][index] ?? [],
  );
}

/** Returns the entry of a fact with its text for the merchant. */
function merchantFactEntries(fact: RecordedFact, entry: TimelineEntry): TimelineEntry[] {
  switch (fact.kind) {
    case 'accepted':
    case 'paid':
    case 'suspended':
    case 'suspense_corrected':
    case 'other_currency_reported':
    case 'failed':
    case 'expired':
    case 'abandoned':
    case 'review_opened':
    case 'flagged':
    case 'lapsed':
    case 'service_decides':
      return [entry];
    case 'confirmed':
      return [withText(entry, entry.text)];
    case 'initiated':
      return [withText(entry, 'initiated: the prompt was sent')];
    case 'refund_reported':
      return [withText(entry, `the service returned ${formatCedis(fact.data.amountMinor)} to the payer`)];
    case 'decided':
      return [withText(entry, `decided: ${fact.data.outcome}`)];
    case 'matched':
      return [withText(entry, `matched with ${formatCedis(fact.data.amountMinor)} that had arrived`)];
    case 'called':
    case 'created':
    case 'orphaned':
    case 'prompt_requested':
    case 'polled':
    case 'event':
    case 'amounts_confirmed':
    case 'failure_reported':
    case 'restored':
    case 'prompt_confirmed':
    case 'clock_corrected':
    case 'service_undecided':
      return [];
    default:
      return unreachable(fact);
  }
}

function withText({ at }: TimelineEntry, text: string): TimelineEntry {
  return { at, kind: 'status', text, ms: null };
}
