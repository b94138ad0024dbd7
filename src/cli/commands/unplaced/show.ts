import type { SuggestionView, UnplacedView } from '../../../contract/staff/unplaced.ts';
import { readUnplacedTaker } from '../../../gateway/console/unplaced-query.ts';
import type { FactRow } from '../../../gateway/ledger/chain.ts';
import { ledgerStore } from '../../../gateway/ledger/ledger-store.ts';
import { describeCurrencyAmount } from '../../../gateway/support/describe-currency.ts';
import { readUnplacedFact } from '../../../gateway/unplaced/audit.ts';
import type { RecordedUnplacedFact, UnplacedGrounds } from '../../../gateway/unplaced/fact.ts';
import { findUnplaced } from '../../../gateway/unplaced/list-query.ts';
import { UserError, unreachable } from '../../../shared/errors.ts';
import { formatCedis } from '../../../shared/money.ts';
import { oneLine, printJson, showTime } from '../../terminal/output.ts';
import { printable } from '../../terminal/protected-output.ts';
import { readLedger } from '../ledger/read-ledger.ts';
import { describeProposal } from '../review/read.ts';
import { readViews } from './read-views.ts';
import type { UnplacedDeps, UnplacedOptions } from './types.ts';

const maxSuggestions = 5;
/** The newest facts that are shown. */
const maxFacts = 100;
/** The payments that are listed when a name is of several. */
const maxNamed = 5;
const labelWidth = 16;

/**
 * Prints one unplaced payment, found by its id, payment session, event, payer or reference.
 *
 * @throws UserError without one, and with several: it lists their ids.
 */
export function showUnplacedCommand(deps: UnplacedDeps, id: string, options: UnplacedOptions): Promise<void> {
  return readLedger(deps.database(options), async (store) => {
    const found = await findUnplaced(store, id, { limit: maxNamed });
    const { data, total } = found === 'unknown_cursor' ? { data: [], total: 0 } : found;
    const [payment, other] = data;
    if (!payment) throw new UserError(`no unplaced payment ${id}: list them with "dialtill unplaced list"`);
    if (other) {
      const ids = data.map((one) => `${one.id} (${one.state}, ${amountOf(one)})`).join(', ');
      const more = total > data.length ? `, and ${total - data.length} more` : '';
      throw new UserError(`${id} names ${total} unplaced payments: use the id of one. ${ids}${more}`);
    }
    const [view] = await readViews(store, [payment], { now: deps.now(), suggestions: maxSuggestions });
    if (!view) return;
    const facts = await ledgerStore(store).factsOf(payment.id);
    const history = describeFacts(facts.slice(-maxFacts));
    const assignedTo = await readUnplacedTaker(store, payment.id);
    if (options.json) printJson(deps.stdout, { ...view, assignedTo, history });
    else deps.stdout.write(`${linesOf({ ...view, assignedTo }, history).join('\n')}\n`);
  });
}

function amountOf({ amountMinor }: { amountMinor: number | null }): string {
  return amountMinor === null ? 'amount not stated' : formatCedis(amountMinor);
}

type AssignedView = UnplacedView & { assignedTo: string | null };

function linesOf(view: AssignedView, history: readonly { at: string; text: string }[]): string[] {
  const { amountMinor, priceMinor, feeMinor, proposal, suggestions } = view;
  const line = (label: string, value: string) => `${label.padEnd(labelWidth)}${oneLine(printable(value))}`;
  const text = (label: string, value: string | null) => (value === null ? [] : [line(label, value)]);
  const cedis = (minor: number | null) => (minor === null ? null : formatCedis(minor));
  return [
    line('payment', `${view.id} of ${view.merchantId}, version ${view.version}`),
    line(
      'state',
      `${view.state} (${view.reason})${view.collectionId === null ? '' : `: ${view.collectionId}`}`,
    ),
    ...text('note', view.note),
    line('amount', `${cedis(amountMinor) ?? 'not stated'}, in suspense ${formatCedis(view.suspendedMinor)}`),
    ...text('price', cedis(priceMinor)),
    ...text('fee', cedis(feeMinor)),
    ...text('payer', view.payer),
    ...text('reference', view.reference),
    ...text('transaction id', view.clientTransId),
    ...text('channel', view.channel),
    ...text('payment session', view.sessionId),
    ...text('collection', view.sessionCollectionId),
    ...(view.charge > 1 ? [line('charge', `${view.charge} of its payment session`)] : []),
    line('last event', `${view.eventType} (first: ${view.eventId ?? 'a poll'})`),
    ...text('paid at', view.paidAt),
    line('received', showTime(Date.parse(view.receivedAt))),
    line('assigned to', view.assignedTo ?? '-'),
    line('proposal', proposal ? describeProposal(proposal) : 'none'),
    'history',
    ...history.map(({ at, text }) => `  ${showTime(Date.parse(at))}  ${oneLine(printable(text))}`),
    'collections that fit, best first',
    ...(suggestions.length > 0 ? suggestions.map(suggestionLine) : ['  none']),
  ];
}

function suggestionLine(one: SuggestionView): string {
  const amount = formatCedis(one.totalMinor ?? one.priceMinor);
  const facts = [one.status, amount, one.payer, one.reference, showTime(Date.parse(one.openedAt))];
  return oneLine(printable(`  ${one.collectionId}  ${facts.join('  ')}  same ${one.agrees.join(', ')}`));
}

/** Returns the history of an unplaced payment, oldest first. */
function describeFacts(rows: readonly FactRow[]): { at: string; text: string }[] {
  return rows.map(readUnplacedFact).map((fact) => ({
    at: new Date(fact.at).toISOString(),
    text: describe(fact),
  }));
}

function describe(fact: RecordedUnplacedFact): string {
  switch (fact.kind) {
    case 'reported':
    case 'reported_again': {
      const { eventId, eventType, chargedMinor, other } = fact.data.stated;
      const cedis = chargedMinor === null ? 'no amount stated' : formatCedis(chargedMinor);
      const amount = other ? describeCurrencyAmount(other) : cedis;
      const failed = fact.kind === 'reported' ? fact.data.failedBefore : undefined;
      const before = failed === undefined ? '' : `, after ${failed} reported a failure`;
      return `${[eventType, eventId].filter(Boolean).join(' ')}: ${amount}${before}`;
    }
    case 'placed': {
      const { collectionId, by, approvedBy, evidence } = fact.data;
      if (by === undefined) return `placed: ${collectionId} has the payment session`;
      return `matched with ${collectionId} by ${by}, approved by ${approvedBy}: ${evidence}`;
    }
    case 'returned':
      return `returned (reference ${fact.data.reference}) ${people(fact.data)}`;
    case 'refunded': {
      const { amountMinor, reference, by } = fact.data;
      return `returned by the service: ${formatCedis(amountMinor)}, reference ${reference}, by ${by}`;
    }
    case 'declared_foreign':
      return `declared foreign ${people(fact.data)}`;
    default:
      return unreachable(fact);
  }
}

function people({ by, approvedBy, evidence }: UnplacedGrounds): string {
  return `by ${by}, approved by ${approvedBy}: ${evidence}`;
}
