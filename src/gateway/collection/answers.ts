import { hash } from 'node:crypto';
import type { AnswerView } from '../../contract/merchant/notification.ts';
import type { Ids } from '../../shared/ids.ts';
import { maskedForm, maskNumbers, parseMsisdn } from '../../shared/msisdn.ts';

/** The form of phone numbers in answers. */
export type ShownNumbers = 'masked' | 'whole';

/** The column of a collection. The salt keeps the digest, which outlives the answers, from revealing short ones. */
type StoredAnswers = { salt: string; answers: readonly AnswerView[] };

/** Returns answers as a collection stores them; null without any. */
export function storeAnswers(ids: Ids, answers: readonly AnswerView[]): string | null {
  if (answers.length === 0) return null;
  return JSON.stringify({ salt: ids.next('ans'), answers } satisfies StoredAnswers);
}

/** Returns the digest of stored answers that the first fact of the collection has, in hexadecimal. */
export function digestAnswers(stored: string): string {
  return hash('sha256', stored, 'hex');
}

/** Returns the answers of a collection: none for one from before they were stored, or whose dialogue retention has deleted. */
export function toAnswers({ answers }: { answers: string | null }, numbers: ShownNumbers): AnswerView[] {
  if (answers === null) return [];
  const stored: StoredAnswers = JSON.parse(answers);
  const whole = stored.answers.map(({ name, label, value }) => ({ name, label, value }));
  return numbers === 'whole' ? whole : maskAnswers(whole);
}

/** Returns answers in which phone numbers are masked. */
export function maskAnswers(answers: readonly AnswerView[]): AnswerView[] {
  return answers.map((answer) => ({ ...answer, value: maskAnswer(answer.value) }));
}

/** Returns the stored answers of a collection with masked numbers, for a copy of its row. */
export function maskStoredAnswers(row: { answers: string | null }): string | null {
  return row.answers === null ? null : JSON.stringify({ salt: '', answers: toAnswers(row, 'masked') });
}

/** A count that is a phone number has lost its leading zero, which only the whole text shows. */
function maskAnswer(value: string): string {
  const msisdn = parseMsisdn(value);
  return msisdn === undefined ? maskNumbers(value) : maskedForm(msisdn);
}

/** Formats an answer for people, with its name: `Class (class): JHS 1`. */
export function describeAnswer({ name, label, value }: AnswerView): string {
  return `${label} (${name}): ${value}`;
}
