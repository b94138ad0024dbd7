import type { AskScreen, Menu, Screen } from '../schema.ts';
import { showValue } from '../text/format.ts';
import { listPlaceholders } from '../text/render.ts';
import type { Answers, PaymentAnswer } from './state.ts';

/** Answers of one payment. One more entry counts the others. */
const maxAnswers = 20;

/** Characters of one value: the longest text that a payer can type. */
const maxValueLength = 64;

/** The name of the entry that stands for the answers beyond the maximum. No menu can use it. */
const omittedName = '(more)';

const secretName = /(?:^|[_-])(?:m?pins?|pass(?:word|code|wd)|otp|cvv|cvc|secret)(?:$|[_\d-])/;
const secretWord = /\b(?:m?pin|password|passcode|one-time (?:password|code)|otp|cvv|cvc)\b/i;

/** True for a question that mentions a PIN or a password, in any language or in its name. */
export function asksForSecret(screen: AskScreen): boolean {
  const texts = typeof screen.text === 'string' ? [screen.text] : Object.values(screen.text);
  return texts.some((text) => secretWord.test(text)) || ('name' in screen && secretName.test(screen.name));
}

/** The part of a menu that defines names. Screens with errors are undefined. */
type Naming = {
  screens: Readonly<Record<string, Screen | undefined>>;
  answers?: Menu['answers'] | undefined;
};

/** Computed once for each menu: the proof of a menu confirms thousands of payments. */
const labelsOfMenus = new WeakMap<Naming, ReadonlyMap<string, string | null>>();

/** A name that a screen sets; `value` is the text that an option sets. */
function listNames({ screens }: Naming): { name: string; isSecret: boolean; value?: string }[] {
  return Object.values(screens).flatMap((screen) => {
    if (screen?.kind === 'ask' && 'name' in screen) {
      return [{ name: screen.name, isSecret: asksForSecret(screen) }];
    }
    if (screen?.kind !== 'choose') return [];
    const values = screen.options.flatMap(({ set }) => Object.entries(set?.values ?? {}));
    return values.map(([name, value]) => ({ name, isSecret: secretName.test(name), value }));
  });
}

/**
 * Returns the names that payers answer or choose, each with its label; null for a name that no payment has. Secrets are never
 * part of a payment: a name, or the text of a question, that mentions a PIN or a password, and values that contain one.
 */
export function listAnswerLabels(menu: Naming): ReadonlyMap<string, string | null> {
  const known = labelsOfMenus.get(menu);
  if (known) return known;
  const { answers = {} } = menu;
  const names = listNames(menu);
  const secrets = new Set(names.filter(({ isSecret }) => isSecret).map(({ name }) => name));
  for (const { name, value = '' } of names)
    if (listPlaceholders(value).some((one) => secrets.has(one))) secrets.add(name);
  const labels = new Map(
    names.map(({ name }) => {
      const label = Object.hasOwn(answers, name) ? answers[name] : defaultLabel(name);
      return [name, label && !secrets.has(name) ? label : null];
    }),
  );
  labelsOfMenus.set(menu, labels);
  return labels;
}

/** Formats a name for people: `student_id` as `Student id`. */
function defaultLabel(name: string): string {
  const words = name.replaceAll(/[_-]+/g, ' ').trim();
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

/** Returns the answers that are part of a payment, in the order of the first answer to each; at most 20, and one that counts the others. */
export function listPaymentAnswers(menu: Menu, { values = {} }: Answers): PaymentAnswer[] {
  const labels = listAnswerLabels(menu);
  const all = Object.entries(values).flatMap(([name, value]): PaymentAnswer[] => {
    const label = labels.get(name);
    const text = showValue(value).trim();
    if (label == null || text === '') return [];
    const isLong = text.length > maxValueLength;
    return [{ name, label, value: isLong ? `${text.slice(0, maxValueLength - 1)}…` : text }];
  });
  const omitted = all.length - maxAnswers;
  if (omitted <= 0) return all;
  const more = { name: omittedName, label: 'More answers', value: `${omitted} not kept` };
  return [...all.slice(0, maxAnswers), more];
}
