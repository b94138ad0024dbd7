import type { Template } from '../description/template.ts';

/** What every request of a session brings alike, by its name in lower case. */
export type SentFields = ReadonlyMap<string, string | boolean>;

const placeholder = /\{([\w.-]+)\}/;
const time = '\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z';

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** The places of the screen in one text; `undefined` when it is another text. */
function textsIn(template: string, got: unknown, sent: SentFields): string[] | undefined {
  if (typeof got !== 'string') {
    // What is sent back alone keeps its type.
    const name = /^\{(?!(?:text|at)\})([\w.-]+)\}$/.exec(template)?.[1]?.toLowerCase();
    const same = name !== undefined && got !== undefined && (sent.get(name) ?? got) === got;
    return same && typeof got !== 'object' ? [] : undefined;
  }
  // Names stand between the texts around them.
  const pattern = template.split(placeholder).map((part, i) => {
    if (i % 2 === 0) return literally(part);
    if (part === 'text') return '([^]*)';
    if (part === 'at') return time;
    const value = sent.get(part.toLowerCase());
    return value === undefined ? '[^]*?' : literally(String(value));
  });
  return new RegExp(`^${pattern.join('')}$`).exec(got)?.slice(1);
}

function texts(template: Template, got: unknown, sent: SentFields, more: boolean): string[] | undefined {
  if (typeof template === 'string') return textsIn(template, got, sent);
  if (typeof template !== 'object' || template === null) return Object.is(template, got) ? [] : undefined;
  if (typeof got !== 'object' || got === null) return undefined;
  const own = Object.entries(template);
  if (!more && Object.keys(got).length !== own.length) return undefined;
  const fields = new Map(Object.entries(got));
  const found = own.map(([name, inner]) => texts(inner, fields.get(name), sent, false));
  return found.every((one) => one !== undefined) ? found.flat() : undefined;
}

/** True when all of the request's own fields came back that the template does not set itself. */
function echoes(template: Template, got: unknown, sent: SentFields): boolean {
  const lower = (value: unknown) =>
    new Map(Object.entries(Object(value)).map(([name, one]) => [name.toLowerCase(), one]));
  const [own, fields] = [lower(template), lower(got)];
  return [...sent].every(
    ([name, value]) => name.includes('.') || own.has(name) || fields.get(name) === value,
  );
}

/**
 * The screen in an answer that is as the template has it, with what the request sent; `undefined` when the answer is
 * another.
 *
 * @param echo the answer must hold the request's fields too.
 */
export function matchTemplate(
  template: Template,
  got: unknown,
  sent: SentFields,
  echo: boolean,
): string | undefined {
  if (echo && !echoes(template, got, sent)) return undefined;
  const [text, ...others] = texts(template, got, sent, echo) ?? [];
  return others.every((other) => other === text) ? text : undefined;
}
