import type { SuggestionView, UnplacedView } from '../../../contract/unplaced.ts';
import { readUnplacedTaker } from '../../../gateway/console/desk/unplaced-query.ts';
import { ledgerStore } from '../../../gateway/ledger/ledger-store.ts';
import { findUnplaced } from '../../../gateway/unplaced/list-query.ts';
import { UserError } from '../../../shared/errors.ts';
import { formatCedis } from '../../../shared/money.ts';
import { oneLine, printJson, showTime } from '../../terminal/output.ts';
import { printable } from '../../terminal/protected-output.ts';
import { readLedger } from '../ledger/read-ledger.ts';
import { describeProposal } from '../review/read.ts';
import { describeFacts } from './describe-facts.ts';
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
export function showCommand(deps: UnplacedDeps, id: string, options: UnplacedOptions): Promise<void> {
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
