import { type Command, Option } from 'commander';
import { assignUnplacedAnswer } from '../../contract/staff/staff.ts';
import { type SuggestionView, unplacedDetail } from '../../contract/staff/unplaced.ts';
import type { SupportResult } from '../../gateway/support/reads.ts';
import type { UnplacedEvent } from '../../gateway/support/unplaced-payment-query.ts';
import { type UnplacedState, unplacedStates } from '../../gateway/unplaced/unplaced.ts';
import { UserError } from '../../shared/errors.ts';
import { formatCedis } from '../../shared/money.ts';
import { showTime } from '../../shared/time-text.ts';
import {
  type ActionDeps,
  addGroup,
  addPageOptions,
  type CommandGroup,
  type CommandHelp,
  fullHelp,
  type PageOptions,
  readPageRequest,
  toPath,
} from '../command-options.ts';
import { printLedgerJson, type ReadDeps, type ReadOptions, readByName, readPage } from '../open-reads.ts';
import type { StaffFlags } from '../staff/staff-client.ts';
import { oneLine, pageFooter, printAnswer, printable, printJson, printRows } from '../terminal/output.ts';
import { formatUnplaced } from './ledger/collections.ts';
import { describeProposal, type EvidenceOptions, proposeAbout } from './review.ts';

type ListOptions = ReadOptions & PageOptions & { state: UnplacedState | 'all'; merchant?: string };

export function registerUnplaced(program: Command, deps: ReadDeps & ActionDeps): void {
  const unplaced = addGroup(program, { path: 'unplaced', examples: ['list'] });
  registerReads(unplaced, deps);
  registerDecisions(unplaced, deps);
}

function registerReads({ addRead }: CommandGroup, deps: ReadDeps): void {
  addPageOptions(
    addRead({
      usage: 'list',
      description:
        'list the payments that no collection explains, newest first, each with the collection that fits best',
      examples: ['list', 'list --state all --limit 20', 'list --merchant demo-shop --json'],
    }),
  )
    .addOption(
      new Option('--state <state>', 'only payments in this state')
        .choices([...unplacedStates, 'all'])
        .default('open'),
    )
    .option('--merchant <id>', 'only payments to this merchant')
    .action((options: ListOptions) => list(deps, options));

  addRead({
    usage: 'show <id>',
    description: 'show an unplaced payment: what its event states, its history, and the collections that fit',
    examples: ['show unp_01k…', 'show pay_01k… --json'],
  }).action((id: string, options: ReadOptions) => show(deps, id, options));

  addPageOptions(
    addRead({
      usage: 'events',
      description:
        'list the stored events that no collection explains, newest first, also those that report no money',
      examples: ['events', 'events --limit 20'],
    }),
  )
    .option('--full', fullHelp)
    .action((options: ReadOptions & PageOptions) => listEvents(deps, options));
}

/** Prints unplaced payments, newest first. @throws UserError when the cursor is unknown. */
async function list(deps: ReadDeps, options: ListOptions): Promise<void> {
  const { stdout } = deps;
  const { state, merchant: merchantId } = options;
  const filter = { state: state === 'all' ? undefined : state, merchantId };
  const input = { filter, ...readPageRequest(options) };
  const page = await readPage(deps, options, ['unplaced', input], 'unplaced payment');
  if (options.json) return printJson(stdout, page);
  if (page.total === 0) return stdout.write(`no ${state === 'all' ? '' : `${state} `}unplaced payments\n`);
  const sum = `, in suspense ${formatCedis(page.suspendedMinor)}`;
  stdout.write(formatUnplaced(stdout.paint, page.data) + pageFooter(page, 'unplaced payment', sum));
}

/** Prints the events that no collection explains, newest first. @throws UserError when the cursor is unknown. */
async function listEvents(deps: ReadDeps, options: ReadOptions & PageOptions): Promise<void> {
  const page = await readPage(deps, options, ['unplacedEvents', readPageRequest(options)], 'event');
  if (options.json) return printLedgerJson(deps.stdout, page, options);
  const head = ['event', 'type', 'amount', 'payment session', 'merchant', 'state', 'received (UTC)'];
  const none = 'no events without a collection';
  printRows(deps.stdout, page, { none, head, cells: eventCells, footer: pageFooter(page, 'event') });
}

function eventCells(row: UnplacedEvent): string[] {
  return [
    printable(row.eventId),
    printable(row.type),
    row.amountMinor === null ? '-' : formatCedis(row.amountMinor),
    printable(row.sessionId ?? '-'),
    row.merchantId,
    row.state,
    showTime(row.receivedAt),
  ];
}

const labelWidth = 16;

/**
 * Prints one unplaced payment, found by its id, payment session, event, payer or reference.
 *
 * @throws UserError without one, and with several: it lists their ids.
 */
async function show(deps: ReadDeps, id: string, options: ReadOptions): Promise<void> {
  const found = await readByName(deps, options, 'unplacedPayment', { name: id });
  if ('view' in found) {
    if (options.json) printJson(deps.stdout, found.view);
    else deps.stdout.write(`${toLines(found.view).join('\n')}\n`);
    return;
  }
  const { data, total } = found;
  if (total === 0) throw new UserError(`no unplaced payment ${id}: list them with "dialtill unplaced list"`);
  const ids = data.map((one) => `${one.id} (${one.state}, ${getAmount(one)})`).join(', ');
  const more = total > data.length ? `, and ${total - data.length} more` : '';
  throw new UserError(`${id} names ${total} unplaced payments: use the id of one. ${ids}${more}`);
}

function getAmount({ amountMinor }: { amountMinor: number | null }): string {
  return amountMinor === null ? 'amount not stated' : formatCedis(amountMinor);
}

type PaymentView = Extract<SupportResult<'unplacedPayment'>, { view: unknown }>['view'];

function toLines(view: PaymentView): string[] {
  const { amountMinor, priceMinor, feeMinor, proposal, suggestions, history } = view;
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
    line('received', `${showTime(Date.parse(view.receivedAt))} UTC`),
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

type DecideOptions = EvidenceOptions & { reference?: string };

const approvalHelp =
  '\n\nAnother person approves the proposal within 24 hours: dialtill review approve prp_01k…';

function registerDecisions({ addAction }: CommandGroup, deps: ActionDeps): void {
  const addDecision = (help: CommandHelp) =>
    addAction({ ...help, more: approvalHelp })
      .requiredOption('--evidence <text>', 'why: what you saw, and where')
      .option('--version <number>', 'the version of the payment that you saw (default: the latest)', Number);

  addDecision({
    usage: 'match <id> <collection>',
    description:
      'propose that the payment belongs to a collection, which must be unpaid and of the same amount',
    examples: ['match unp_01k… col_01k… --evidence "the payer showed the SMS of the network"'],
  }).action((id: string, collectionId: string, options: DecideOptions) =>
    propose(deps, id, options, { outcome: 'match', collectionId }),
  );
  addDecision({
    usage: 'return <id>',
    description: 'propose to record that the money was returned to the payer',
    examples: ['return unp_01k… --reference MTN-77 --evidence "transfer of 6 March"'],
  })
    .requiredOption('--reference <text>', 'the reference of the transfer that returned the money')
    .action((id: string, options: DecideOptions) =>
      propose(deps, id, options, { outcome: 'return', reference: options.reference }),
    );
  addDecision({
    usage: 'foreign <id>',
    description: 'propose that the money belongs to another channel of the merchant, such as a web shop',
    examples: ['foreign unp_01k… --evidence "order 1042 of the web shop"'],
  }).action((id: string, options: DecideOptions) => propose(deps, id, options, { outcome: 'foreign' }));

  addAction({
    usage: 'take <id>',
    description: 'record that you resolve an unplaced payment, also when another person has it',
    examples: ['take unp_01k…', 'take unp_01k… --json'],
  }).action((id: string, options: StaffFlags) => assign(deps, { id, assignee: 'caller' }, options));
  addAction({
    usage: 'leave <id>',
    description: 'end the assignment of an unplaced payment, whoever has it',
    examples: ['leave unp_01k…'],
  }).action((id: string, options: StaffFlags) => assign(deps, { id, assignee: 'no_one' }, options));
  addAction({
    usage: 'assign <id> <name>',
    description: 'hand an unplaced payment over to a person of support staff',
    examples: ['assign unp_01k… kofi'],
  }).action((id: string, name: string, options: StaffFlags) =>
    assign(deps, { id, assignee: { name } }, options),
  );
}

/** Who gets a payment: the caller, a named person, or no one. */
type Assignee = 'caller' | { name: string } | 'no_one';

/** Records who resolves an unplaced payment. @throws UserError when the gateway refuses or cannot be reached. */
async function assign(
  { stdout, staffClient }: ActionDeps,
  { id, assignee }: { id: string; assignee: Assignee },
  options: StaffFlags,
): Promise<void> {
  const client = await staffClient(options);
  const body = { to: assigneeName(assignee, client.name) };
  const answer = await client.post(toPath(['unplaced', id, 'assign']), assignUnplacedAnswer, body);
  const { unplacedId, actor, to } = answer;
  const done = to === null ? `unassigned ${unplacedId}` : `assigned ${unplacedId} to ${to}`;
  printAnswer(stdout, options, answer, `${done} by ${actor}`);
}

function assigneeName(assignee: Assignee, caller: string | undefined): string | null {
  if (assignee === 'no_one') return null;
  if (assignee !== 'caller') return assignee.name;
  if (caller === undefined)
    throw new UserError('only a person takes a payment: sign in with "dialtill staff sign-in"');
  return caller;
}

function propose(deps: ActionDeps, id: string, options: DecideOptions, terms: object): Promise<void> {
  const subject = { path: ['unplaced', id], schema: unplacedDetail, terms };
  return proposeAbout(deps, options, subject, (proposal) => {
    const target = proposal.targetId === null ? '' : ` with ${proposal.targetId}`;
    return `for ${proposal.subjectId}${target}: ${describeProposal(proposal)}`;
  });
}
