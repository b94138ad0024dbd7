import { type Command, Option } from 'commander';
import type { z } from 'zod';
import {
  maxReviews,
  type PostingView,
  type ProposalPreview,
  type ProposalView,
  proposalList,
  proposalPreview,
  proposalQuery,
  proposalView,
  type ReviewRow,
  type ReviewView,
  reviewOutcomes,
  reviewView,
} from '../../contract/staff/review.ts';
import { describeAnswer } from '../../gateway/collection/answers.ts';
import { UserError } from '../../shared/errors.ts';
import { formatCedis } from '../../shared/money.ts';
import { showTime } from '../../shared/time-text.ts';
import {
  type ActionDeps,
  act,
  addGroup,
  addPageOptions,
  type PageOptions,
  toPath,
} from '../command-options.ts';
import { type ReadDeps, type ReadOptions, readByName, readPage, readTimeZone } from '../open-reads.ts';
import type { StaffFlags } from '../staff/staff-client.ts';
import { oneLine, pageFooter, printAnswer, printJson, printRows } from '../terminal/output.ts';
import { askConfirmation, type Input } from '../terminal/terminal.ts';

export type ReviewDeps = ReadDeps & ActionDeps & { stdin: Input };

type ProposeOptions = EvidenceOptions & {
  outcome: ReviewView['decisions'][number]['outcome'];
  reference?: string;
};

const outcomesHelp = `

Outcomes:
  accept    what arrived belongs to the merchant
  returned  the money was returned to the payer; needs --reference, the reference of that transfer
  paid      the payment was made after all, although no money is recorded; the quoted amount is booked
  not_paid  the payment was never made`;

export function registerReview(program: Command, deps: ReviewDeps): void {
  const { addRead, addAction } = addGroup(program, { path: 'review', examples: ['list'] });

  addPageOptions(
    addRead({
      usage: 'list',
      description: 'list the reviews and their open proposals, newest first',
      examples: ['list'],
    }),
    maxReviews,
  ).action((options: ReadOptions & PageOptions) => list(deps, options));

  addRead({
    usage: 'show <id>',
    description: 'show a review: the money, the open proposal, and the postings of each possible decision',
    examples: ['show col_01k…'],
  }).action((id: string, options: ReadOptions) => show(deps, id, options));

  addAction({
    usage: 'propose <id>',
    description: 'propose a decision, which another person approves within 24 hours',
    examples: ['propose col_01k… --outcome accept --evidence "statement of 6 March, line 12"'],
    more: outcomesHelp,
  })
    .addOption(
      new Option('--outcome <outcome>', 'the decision').choices(reviewOutcomes).makeOptionMandatory(),
    )
    .requiredOption('--evidence <text>', 'why: what you saw, and where')
    .option('--reference <text>', 'with the outcome returned: the reference of the transfer')
    .option('--version <number>', 'the version of the collection that you saw (default: the latest)', Number)
    .action((id: string, options: ProposeOptions) => propose(deps, id, options));

  addAction({
    usage: 'approve <proposal>',
    description: 'print the postings of a proposal that another person made, and approve it',
    examples: ['approve prp_01k…'],
  })
    .option('--yes', 'approve without asking')
    .action((id: string, options: StaffFlags & { yes?: boolean }) => approve(deps, id, options));

  addAction({
    usage: 'proposals',
    description: 'list the open proposals, about reviews and unplaced payments, the oldest first',
    examples: ['proposals', 'proposals --state ended --json'],
  })
    .addOption(
      new Option('--state <state>', 'the open proposals, or those that have ended, the newest first')
        .choices(proposalQuery.shape.state.unwrap().options)
        .default('waiting'),
    )
    .action((options: StaffFlags & { state: string }) => listProposals(deps, options));

  const end = (id: string, verb: string, options: StaffFlags, body: object = {}) =>
    act(deps, options, { path: ['proposals', id, verb], schema: proposalView, body }, (ended) => {
      return `${ended.state} ${ended.id}`;
    });
  addAction({
    usage: 'withdraw <proposal>',
    description: 'withdraw your own proposal',
    examples: ['withdraw prp_01k…'],
  }).action((id: string, options: StaffFlags) => end(id, 'withdraw', options));
  addAction({
    usage: 'refuse <proposal>',
    description: 'refuse the proposal of another person, who reads the reason',
    examples: ['refuse prp_01k… --reason "the statement has another amount"'],
  })
    .requiredOption('--reason <text>', 'why; the author reads it, and it is never deleted')
    .action((id: string, { reason, ...options }: StaffFlags & { reason: string }) =>
      end(id, 'refuse', options, { reason }),
    );
}

async function listProposals(
  deps: ReviewDeps,
  { state, ...options }: StaffFlags & { state: string },
): Promise<void> {
  const client = await deps.staffClient(options);
  const list = await client.get(`/proposals?state=${state}`, proposalList);
  const lines = list.data.flatMap(({ proposal, sentence, stale, refusal }) => [
    `${proposal.id}  ${oneLine(sentence)}`,
    `  ${proposal.state === 'open' ? `until ${proposal.endsAt}` : proposal.state}, proposed by ${proposal.proposedBy}: ${oneLine(proposal.evidence)}`,
    ...(stale === null ? [] : [`  stale: ${oneLine(stale)}`]),
    ...(refusal === null ? [] : [`  refused by ${proposal.decidedBy}: ${oneLine(refusal)}`]),
  ]);
  if (list.isCut) lines.push(`only the first ${list.data.length} are shown`);
  printAnswer(deps.stdout, options, list, lines.length === 0 ? 'no proposals' : lines.join('\n'));
}

async function list(deps: ReadDeps, options: ReadOptions & PageOptions): Promise<void> {
  const { limit = maxReviews, after } = options;
  const page = await readPage(deps, options, ['reviews', { limit, after }], 'collection');
  if (options.json) return printJson(deps.stdout, page);
  const timeZone = await readTimeZone(
    deps,
    options,
    page.data.map(({ merchantId }) => merchantId),
  );
  const opened = `opened (${timeZone ?? 'UTC'})`;
  const head = ['collection', 'merchant', 'status', 'review', 'money', opened, 'decision'];
  const cells = (row: ReviewRow) => [
    ...[row.collectionId, row.merchantId, row.status, row.review, showMoney(row)],
    showTime(Date.parse(row.openedAt), timeZone),
    row.awaitsService ? 'the service decides' : showOpen(row.proposal),
  ];
  const none = 'no collections in review';
  printRows(deps.stdout, page, { none, head, cells, footer: pageFooter(page, 'review') });
}

/** Prints one review, with the postings of each decision that is possible now. @throws UserError without a review. */
async function show(deps: ReadDeps, id: string, options: ReadOptions): Promise<void> {
  const { stdout } = deps;
  const found = await readByName(deps, options, 'review', { id });
  if (!found) throw new UserError(`no collection ${id}: find its id with "dialtill ledger find"`);
  const { status, view } = found;
  if (!view) throw new UserError(`${id} is ${status} and not in review`);
  if (options.json) return printJson(stdout, view);
  const decisions = view.decisions.map(
    ({ outcome, postings }) => `  ${outcome.padEnd(9)} ${describePostings(postings)}`,
  );
  const lines = [
    `collection  ${view.collectionId} of ${view.merchantId}, version ${view.version}`,
    `status      ${view.status}${view.reason === null ? '' : ` (${view.reason})`}`,
    `review      ${view.review}`,
    `money       ${showMoney(view)}`,
    ...view.answers.map((one, at) =>
      oneLine(`${at === 0 ? 'answers ' : '        '}    ${describeAnswer(one)}`),
    ),
    ...(view.awaitsService ? ['            the service decides about it, and is polled'] : []),
    `proposal    ${view.proposal ? describeProposal(view.proposal) : 'none'}`,
    'decisions',
    ...(decisions.length > 0
      ? decisions
      : [
          `  none now: ${view.awaitsService ? 'the service decides first' : 'the gateway still polls the collection'}`,
        ]),
  ];
  stdout.write(`${lines.join('\n')}\n`);
}

function propose(deps: ReviewDeps, id: string, options: ProposeOptions): Promise<void> {
  const { outcome, reference } = options;
  const terms = { outcome, ...(reference === undefined ? {} : { reference }) };
  return proposeAbout(deps, options, { path: ['reviews', id], schema: reviewView, terms }, describeProposal);
}

/** The evidence of a proposal, and the version of its subject that the proposer saw. */
export type EvidenceOptions = StaffFlags & { evidence: string; version?: number };

/** Proposes a decision, and prints the proposal. Without a version, the one of this moment is meant. */
export async function proposeAbout(
  { stdout, staffClient }: ActionDeps,
  options: EvidenceOptions,
  subject: { path: readonly string[]; schema: z.ZodType<{ version: number }>; terms: object },
  describe: (proposal: ProposalView) => string,
): Promise<void> {
  const { evidence } = options;
  const client = await staffClient(options);
  const path = toPath(subject.path);
  const version = options.version ?? (await client.get(path, subject.schema)).version;
  const body = { ...subject.terms, evidence, version };
  const proposal = await client.post(`${path}/proposals`, proposalView, body);
  const next = `Another person approves it: dialtill review approve ${proposal.id}`;
  printAnswer(stdout, options, proposal, `proposed ${describe(proposal)}\n${next}`);
}

/** Prints what a proposal would write, asks, and approves it. @throws UserError when it cannot be approved. */
async function approve(deps: ReviewDeps, id: string, options: StaffFlags & { yes?: boolean }): Promise<void> {
  const { stdout } = deps;
  const client = await deps.staffClient(options);
  const path = toPath(['proposals', id]);
  const preview = await client.get(path, proposalPreview);
  const { postings, obstacle } = preview;
  if (!options.json) stdout.write(describePreview(preview));
  // The gateway refuses the attempt, too, and records it.
  if (obstacle === null && !options.yes && !(await askConfirmation(deps, 'Approve?')))
    throw new UserError('not approved. To approve without a question, add --yes.');
  const approved = await client.post(`${path}/approve`, proposalView);
  printAnswer(stdout, options, { ...approved, postings }, `approved ${approved.id} on ${approved.subjectId}`);
}

function showOpen(proposal: ProposalView | null): string {
  if (proposal === null) return '-';
  const { id, outcome, proposedBy, state } = proposal;
  return `${id} ${outcome} by ${proposedBy}${state === 'open' ? '' : ` (${state})`}`;
}

function describePreview({ proposal, sentence, postings }: ProposalPreview): string {
  return `${describeProposal(proposal)}\n${oneLine(sentence)}\npostings: ${describePostings(postings)}\n`;
}

function showMoney({ amountMinor, booked }: Pick<ReviewRow, 'amountMinor' | 'booked'>): string {
  if (booked === null) return 'none recorded';
  return `${amountMinor === null ? '' : `${formatCedis(amountMinor)} `}${booked}`;
}

/** Describes postings in one line; those that move nothing are stated as such. */
function describePostings(postings: readonly PostingView[]): string {
  if (postings.length === 0) return 'moves no money';
  return postings
    .map(({ booking, account, amountMinor }) => `${booking} ${account} ${formatCedis(amountMinor)}`)
    .join(', ');
}

export function describeProposal(proposal: ProposalView): string {
  const { id, outcome, proposedBy, proposedAt, evidence, reference, state, endsAt } = proposal;
  const transfer = reference === null ? '' : `, reference ${reference}`;
  const end = state === 'open' ? `, until ${endsAt}` : ` (${state})`;
  return oneLine(`${id}: ${outcome} by ${proposedBy} at ${proposedAt}${transfer}${end}: ${evidence}`);
}
