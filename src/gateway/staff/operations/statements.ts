import {
  type DayStatementView,
  dayStatementInput,
  explainDifferenceInput,
  type ImportStatementAnswer,
  importStatementInput,
  maxListedDifferences,
} from '../../../contract/staff/statement.ts';
import { maskNumbers } from '../../../shared/msisdn.ts';
import { staffActionWrite } from '../../access/action-store.ts';
import { readDay } from '../../ledger/day.ts';
import type { ExplainedDifference } from '../../service-statement/comparison-query.ts';
import { maxStatementBytes } from '../../service-statement/read-statement.ts';
import { statementWrite } from '../../service-statement/statement-store.ts';
import {
  defineOperation,
  type OperationRefusal,
  refuse,
  type StaffAnswer,
  type StaffDeps,
} from '../operation.ts';
import { viewComparison } from '../statement-view.ts';
import { merchantSubject } from '../subjects.ts';

/**
 * Stores the statement of the service about a day of a merchant, in the place of an earlier one, and compares the books with it. A
 * statement with the same lines changes nothing. The audit has the differences of each import.
 */
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
