import {
  type DayStatementView,
  type DifferenceView,
  maxListedDifferences,
} from '../../contract/staff/statement.ts';
import { unreachable } from '../../shared/errors.ts';
import type { Comparison, ExplainedDifference } from '../service-statement/comparison-query.ts';

/** Returns the books of a day beside its statement, as people read it, with at most `max` differences. */
export function viewComparison(comparison: Comparison, max = maxListedDifferences): DayStatementView {
  const { differences, importedAt, ...rest } = comparison;
  return {
    ...rest,
    importedAt: new Date(importedAt).toISOString(),
    different: differences.length,
    unexplained: listUnexplained(comparison).length,
    differences: differences.slice(0, max).map(viewDifference),
    isCut: differences.length > max,
  };
}

/** Returns the differences that no one has explained. */
export function listUnexplained({ differences }: Comparison): ExplainedDifference[] {
  return differences.filter(({ explanation }) => explanation === null);
}

function viewDifference({ elsewhere, ...one }: ExplainedDifference): DifferenceView {
  const show = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  return {
    ...one,
    ...{ openedAt: show(one.openedAt), paidAt: show(one.paidAt) },
    why: describeWhy({ ...one, elsewhere }),
    explanation: one.explanation && {
      ...one.explanation,
      at: new Date(one.explanation.at).toISOString(),
    },
  };
}

/** Names a review, and who decides it: support staff wait for the service. */
function describeReview({ reason, decidedBy }: NonNullable<ExplainedDifference['review']>): string {
  const name = `the review ${reason}`;
  return decidedBy === 'service'
    ? `The service decides ${name}: wait for it.`
    : `People here decide ${name}.`;
}

/** Returns in one sentence or two why books and statement can differ about a payment. */
function describeWhy({
  kind,
  elsewhere,
  review,
  openedAt,
  paidAt,
  books,
  statement,
}: ExplainedDifference): string {
  const time = (at: number | null) => (at === null ? '' : new Date(at).toISOString().slice(11, 19));
  const day = (at: number | null) => (at === null ? '' : new Date(at).toISOString().slice(0, 10));
  switch (kind) {
    case 'later_day':
      return `Opened ${day(openedAt)} ${time(openedAt)}, paid ${statement || paidAt !== null ? time(paidAt) : 'after midnight'}: the books have it on the day of its opening, the statement on the next one.`;
    case 'only_in_books':
      return `Paid in the books, and not in the statement. ${review ? describeReview(review) : 'Ask the service about the session.'}`;
    case 'amount':
      return books?.totalMinor === statement?.totalMinor
        ? 'The total is equal, the price or the fee is not.'
        : 'The service charged another amount than the books have.';
    case 'only_in_statement':
      if (elsewhere?.kind === 'unplaced')
        return `In the statement. The money is unplaced (${elsewhere.state}).`;
      if (elsewhere)
        return `In the statement. The books have the payment as ${elsewhere.status}.${review ? ` ${describeReview(review)}` : ''}`;
      return openedAt === null
        ? 'In the statement, and unknown to the books.'
        : `In the statement of this day, and in the books of ${day(openedAt)}.`;
    default:
      return unreachable(kind);
  }
}
