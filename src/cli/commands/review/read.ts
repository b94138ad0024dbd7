import {
  maxReviews,
  type PostingView,
  type ProposalView,
  type ReviewRow,
  reviewList,
  reviewView,
} from '../../../contract/staff/review.ts';
import { describeAnswer } from '../../../gateway/collection/answers.ts';
import { formatCedis } from '../../../shared/money.ts';
import { pathSegment } from '../../service/admin-client.ts';
import { oneLine, printJson, showTime, table } from '../../terminal/output.ts';
import { paintFor } from '../../terminal/terminal.ts';
import { pageFooter } from '../ledger/page-text.ts';
import type { StaffFlags } from '../ledger/types.ts';
import type { DecisionDeps, ReviewListOptions } from './types.ts';

/** Prints the reviews with their open proposals, newest first. */
export async function listReviewsCommand(deps: DecisionDeps, options: ReviewListOptions): Promise<void> {
  const { stdout } = deps;
  const client = await deps.staffClient(options);
  const { limit = maxReviews, after } = options;
  const query = new URLSearchParams({ limit: String(limit), ...(after === undefined ? {} : { after }) });
  const list = await client.get(`/reviews?${query}`, reviewList);
  if (options.json) return printJson(stdout, list);
  if (list.total === 0) return stdout.write('no collections in review\n');
  const lines = list.data.map((row) => [
    ...[row.collectionId, row.merchantId, row.status, row.review, showMoney(row)],
    ...[
      showTime(Date.parse(row.openedAt)),
      row.awaitsService ? 'the service decides' : showOpen(row.proposal),
    ],
  ]);
  const head = ['collection', 'merchant', 'status', 'review', 'money', 'opened (UTC)', 'decision'];
  stdout.write(table(paintFor(stdout, deps.noColor), [head, ...lines]) + pageFooter(list, 'review'));
}

/** Prints one review, with the postings of each decision that is possible now. */
export async function showReviewCommand(deps: DecisionDeps, id: string, options: StaffFlags): Promise<void> {
  const { stdout } = deps;
  const client = await deps.staffClient(options);
  const view = await client.get(`/reviews/${pathSegment(id)}`, reviewView);
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
    ...(decisions.length > 0 ? decisions : ['  none now: the gateway still polls the collection']),
  ];
  stdout.write(`${lines.join('\n')}\n`);
}

function showOpen(proposal: ProposalView | null): string {
  if (proposal === null) return '-';
  const { id, outcome, proposedBy, state } = proposal;
  return `${id} ${outcome} by ${proposedBy}${state === 'open' ? '' : ` (${state})`}`;
}

/** Describes where the money of a review is. */
function showMoney({ amountMinor, booked }: Pick<ReviewRow, 'amountMinor' | 'booked'>): string {
  if (booked === null) return 'none recorded';
  return `${amountMinor === null ? '' : `${formatCedis(amountMinor)} `}${booked}`;
}

/** Describes postings in one line; those that move nothing are stated as such. */
export function describePostings(postings: readonly PostingView[]): string {
  if (postings.length === 0) return 'moves no money';
  return postings
    .map(({ booking, account, amountMinor }) => `${booking} ${account} ${formatCedis(amountMinor)}`)
    .join(', ');
}

/** Describes a proposal in one line. */
export function describeProposal(proposal: ProposalView): string {
  const { id, outcome, proposedBy, proposedAt, evidence, reference, state, endsAt } = proposal;
  const transfer = reference === null ? '' : `, reference ${reference}`;
  const end = state === 'open' ? `, until ${endsAt}` : ` (${state})`;
  return oneLine(`${id}: ${outcome} by ${proposedBy} at ${proposedAt}${transfer}${end}: ${evidence}`);
}
