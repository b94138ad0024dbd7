import { RE2JS } from 're2js';
import { isMap } from '../../shared/json.ts';
import type { Template } from '../description/template.ts';

/** The values that are equal in every request of a session, by field name in lower case. */
export type SentFields = ReadonlyMap<string, string | boolean>;

const placeholder = /\{([\w.-]+)\}/;
const timestamp = '\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z';

/** Returns the screen texts in one text of an answer, or `undefined` when it does not match the template. */
function matchText(template: string, actual: unknown, sent: SentFields): string[] | undefined {
  if (typeof actual !== 'string') {
    // A template that is nothing but a placeholder of a request field keeps the type of the value.
    const name = /^\{(?!(?:text|at)\})([\w.-]+)\}$/.exec(template)?.[1]?.toLowerCase();
    const isSame = name !== undefined && actual !== undefined && (sent.get(name) ?? actual) === actual;
    return isSame && typeof actual !== 'object' ? [] : undefined;
  }
  // `split` with a capture group alternates literal texts and placeholder names.
  const pattern = template.split(placeholder).map((part, i) => {
    if (i % 2 === 0) return RE2JS.quote(part);
    if (part === 'text') return '(.*)';
    if (part === 'at') return timestamp;
    const value = sent.get(part.toLowerCase());
    return value === undefined ? '.*?' : RE2JS.quote(String(value));
  });
  // Linear time: several placeholders without a known value would take polynomial time with `RegExp`.
  return RE2JS.compile(`^${pattern.join('')}$`, RE2JS.DOTALL)
    .exec(actual)
    ?.slice(1);
}

/**
 * Returns the screen texts in an answer, or in a part of it. A part that does not match the template is `undefined`, also among them.
 *
 * @param allowsMore whether the answer may have fields that the template does not have.
 */
function matchValue(
  template: Template,
  actual: unknown,
  sent: SentFields,
  allowsMore: boolean,
): (string | undefined)[] | undefined {
  if (typeof template === 'string') return matchText(template, actual, sent);
  if (typeof template !== 'object' || template === null) return Object.is(template, actual) ? [] : undefined;
  if (!isMap(actual)) return undefined;
  const entries = Object.entries(template);
  if (!allowsMore && Object.keys(actual).length !== entries.length) return undefined;
  const fields = new Map(Object.entries(actual));
  return entries.flatMap(([name, inner]) => matchValue(inner, fields.get(name), sent, false));
}

/** Returns whether the answer contains every field of the request that the template does not replace. */
function hasEcho(template: Template, actual: unknown, sent: SentFields): boolean {
  const byLowerCase = (value: unknown) =>
    new Map(Object.entries(Object(value)).map(([name, inner]) => [name.toLowerCase(), inner]));
  const [replaced, fields] = [byLowerCase(template), byLowerCase(actual)];
  return [...sent].every(
    ([name, value]) => name.includes('.') || replaced.has(name) || fields.get(name) === value,
  );
}

/**
 * Returns the screen text of an answer that matches the template and the fields of the request.
 *
 * @param echo whether the answer must contain the request's fields too.
 * @returns `undefined` when the answer does not match.
 */
export function matchTemplate(
  template: Template,
  actual: unknown,
  sent: SentFields,
  echo: boolean,
): string | undefined {
  if (echo && !hasEcho(template, actual, sent)) return undefined;
  const [text, ...others] = matchValue(template, actual, sent, echo) ?? [];
  return others.every((other) => other === text) ? text : undefined;
}
