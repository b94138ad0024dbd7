import { z } from 'zod';
import { dayTotals, staffText } from './staff.ts';

/*
 * The bodies of `/staff/v1` about the close of a day and the statement of the service. Amounts are pesewas.
 */

const merchantId = z.string('expected the id of a merchant').min(1).max(64);

/** Differences that one request explains, and that an answer and the audit list. */
export const maxListedDifferences = 200;

/** `content` is the CSV file. Its bounds are those of `readStatement`. */
export const importStatementInput = z.strictObject({
  merchantId,
  content: z.string('expected the text of a CSV file').min(1, 'expected the text of a CSV file'),
});

export const dayStatementInput = z.strictObject({ merchantId });

const differencesExpected = `expected 1 to ${maxListedDifferences} ids of differences`;

export const explainDifferenceInput = z.strictObject({
  merchantId,
  differences: z
    .array(z.string().regex(/^dif_[0-9a-f]{20}$/, 'expected the id of a difference, such as dif_0f3a…'))
    .min(1, differencesExpected)
    .max(maxListedDifferences, differencesExpected),
  text: staffText,
});

const amounts = z
  .object({ totalMinor: z.int(), feeMinor: z.int().nullable(), priceMinor: z.int().nullable() })
  .nullable();

export const differenceView = z.object({
  id: z.string(),
  kind: z.string(),
  sessionId: z.string().nullable(),
  collectionId: z.string().nullable(),
  books: amounts,
  statement: amounts,
  openedAt: z.iso.datetime().nullable(),
  paidAt: z.iso.datetime().nullable(),
  /** The open review of the payment in the books, and who decides it. */
  review: z.object({ reason: z.string(), decidedBy: z.enum(['service', 'people']) }).nullable(),
  /** Why they can differ, in one sentence or two. */
  why: z.string(),
  explanation: z.object({ actor: z.string(), at: z.iso.datetime(), text: z.string() }).nullable(),
});
export type DifferenceView = z.infer<typeof differenceView>;

/** The books of a day beside its statement. `isCut`: there are more differences than are listed. */
export const dayStatementView = z.object({
  date: z.string(),
  merchantId: z.string(),
  digest: z.string(),
  importedBy: z.string(),
  importedAt: z.iso.datetime(),
  sessions: z.int(),
  /** Sessions of other channels, and of other merchants of the account, which are not compared. */
  ofOthers: z.int(),
  booksMinor: z.int(),
  statementMinor: z.int(),
  /** All differences, and those without an explanation. */
  different: z.int(),
  unexplained: z.int(),
  differences: z.array(differenceView),
  isCut: z.boolean(),
});
export type DayStatementView = z.infer<typeof dayStatementView>;

/** `result`: the first statement of the day, another one than before, or the same again. */
export const importStatementAnswer = dayStatementView.extend({
  result: z.enum(['imported', 'replaced', 'unchanged']),
});
export type ImportStatementAnswer = z.infer<typeof importStatementAnswer>;

/** `digest` is that of the statement that the person saw; null when there was none, and absent for one who has not looked. */
export const closeDayInput = z.strictObject({
  merchantId,
  totals: dayTotals,
  digest: z.string().max(64).nullable().optional(),
});

/** A difference as a close records it. */
const closedDifference = z.object({
  id: z.string(),
  kind: z.string(),
  sessionId: z.string().nullable(),
  explanation: z.string(),
});

/** The statement with which a day was closed; null for a close without one. */
export const closedStatement = z
  .object({
    digest: z.string(),
    sessions: z.int(),
    statementMinor: z.int(),
    different: z.int(),
    differences: z.array(closedDifference),
  })
  .nullable();
export type ClosedStatement = z.infer<typeof closedStatement>;

export const dayCloseView = z.object({
  /** Such as `2026-03-06`. */
  date: z.string(),
  merchantId: z.string(),
  actor: z.string(),
  at: z.iso.datetime(),
  totals: dayTotals,
  statement: closedStatement,
});
export type DayCloseView = z.infer<typeof dayCloseView>;
