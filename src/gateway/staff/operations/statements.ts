import {
  type DayStatementView,
  type DifferenceView,
  dayStatementInput,
  explainDifferenceInput,
  type ImportStatementAnswer,
  importStatementInput,
  maxListedDifferences,
} from '../../../contract/staff/statement.ts';
import { unreachable } from '../../../shared/errors.ts';
import { maskNumbers } from '../../../shared/msisdn.ts';
import { staffActionWrite } from '../../access/action-store.ts';
import { readDay } from '../../ledger/day.ts';
import type { Comparison, ExplainedDifference } from '../../service-statement/comparison-query.ts';
import { maxStatementBytes } from '../../service-statement/read-statement.ts';
import { statementWrite } from '../../service-statement/statement-store.ts';
import {
  defineOperation,
  type OperationRefusal,
  refuse,
  type StaffAnswer,
  type StaffDeps,
} from '../operation.ts';
import { merchantSubject } from '../subjects.ts';

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

/** Stores the statement of a day in place of an earlier one, and compares the books. The audit has the differences of each import. */
export const importStatement = defineOperation({
  route: 'POST /days/:id/statement',
  permission: 'days.close',
  input: importStatementInput,
  subject: merchantSubject,
  async run(
    { statements, collections, clock, livemode }: StaffDeps,
    { actor, id: date, input: { merchantId, content } },
  ): Promise<StaffAnswer<ImportStatementAnswer>> {
    const span = readDay(date);
    if (!span) return noDay;
    const now = clock.now();
    if (now < span.from) return refuse('conflict', `${date} has not begun`);
    if (Buffer.byteLength(content) > maxStatementBytes)
      return refuse('invalid_request', `expected a file of at most ${maxStatementBytes} bytes`);
    const read = await statements.reader.by(actor).statementFile({
      ...{ day: { merchantId, livemode, date }, content, format: statements.getFormat(merchantId) },
      ...{ importedBy: actor.name, importedAt: now },
    });
    if (!read.ok) return refuse('invalid_request', read.message);
    const { statement, ignored, before, comparison } = read;
    const { digest } = statement;
    if (before === digest) return { ok: true, value: { ...viewComparison(comparison), result: 'unchanged' } };
    const { sessions, ofOthers, statementMinor, booksMinor, differences } = comparison;
    const isStored = await collections.apply([
      statementWrite(statement, before),
      staffActionWrite(
        {
          actor,
          action: 'import_statement',
          subject: { kind: 'day', id: date, merchantId, livemode },
          detail: {
            ...{ digest, sessions, ignored, ofOthers, statementMinor, booksMinor },
            ...{ replaces: before ?? null, different: differences.length },
            differences: differences.slice(0, maxListedDifferences).map(toRecord),
          },
        },
        now,
      ),
    ]);
    if (!isStored) return refuse('conflict', `another person has just imported a statement of ${date}`);
    return { ok: true, value: { ...viewComparison(comparison), result: before ? 'replaced' : 'imported' } };
  },
});

const noDay = refuse('invalid_request', 'expected a day such as 2026-03-06');

function noStatement(date: string, merchantId: string): OperationRefusal {
  return refuse(
    'not_found',
    `no statement of ${merchantId} on ${date}: import one with "dialtill statement import"`,
  );
}

/** Compares the books of a day, as they are now, with its statement. */
export const readDayStatement = defineOperation({
  route: 'GET /days/:id/statement',
  permission: 'cases.read',
  input: dayStatementInput,
  subject: merchantSubject,
  async run(
    { statements, livemode }: StaffDeps,
    { actor, id: date, input: { merchantId } },
  ): Promise<StaffAnswer<DayStatementView>> {
    if (!readDay(date)) return noDay;
    const comparison = await statements.reader.by(actor).statement({ merchantId, livemode, date });
    return comparison ? { ok: true, value: viewComparison(comparison) } : noStatement(date, merchantId);
  },
});

/** Records why differences of a day are right. An explanation holds for a difference as long as its amounts do. */
export const explainDifference = defineOperation({
  route: 'POST /days/:id/differences',
  permission: 'days.close',
  input: explainDifferenceInput,
  subject: merchantSubject,
  async run(
    { statements, collections, clock, livemode }: StaffDeps,
    { actor, id: date, input: { merchantId, differences: ids, text: typed } },
  ): Promise<StaffAnswer<DayStatementView>> {
    if (!readDay(date)) return noDay;
    const day = { merchantId, livemode, date };
    const comparison = await statements.reader.by(actor).statement(day);
    if (!comparison) return noStatement(date, merchantId);
    const named = new Set(ids);
    const found = comparison.differences.filter(({ id }) => named.has(id));
    const known = new Set(found.map(({ id }) => id));
    const unknown = ids.find((id) => !known.has(id));
    if (unknown !== undefined)
      return refuse('conflict', `${unknown} is no difference of ${date} any more: look at the day again`);
    const subject = { kind: 'day', id: date, merchantId, livemode } as const;
    const now = clock.now();
    const text = maskNumbers(typed);
    const detail = { text, differences: found.map(toRecord) };
    await collections.apply([
      staffActionWrite({ actor, action: 'explain_difference', subject, detail }, now),
    ]);
    const explanation = { actor: actor.name, at: now, text };
    const differences = comparison.differences.map((one) =>
      known.has(one.id) ? { ...one, explanation } : one,
    );
    return { ok: true, value: viewComparison({ ...comparison, differences }) };
  },
});

/** Returns a difference as the audit records it. */
function toRecord({ id, kind, sessionId, collectionId, books, statement }: ExplainedDifference) {
  return {
    ...{ id, kind, sessionId, collectionId },
    ...{ booksMinor: books?.totalMinor ?? null, statementMinor: statement?.totalMinor ?? null },
  };
}
