import { decodeEntities } from './crawl.ts';

/** A form of a page, with values that a person could type. `action` is relative to `/console`. */
export type FilledForm = { action: string; fields: Record<string, string> };

/** Returns the forms of a page that change something. `type` gives the text for a field. */
export function formsIn(html: string, type: (name: string) => string): FilledForm[] {
  const forms = html.matchAll(/<form[^>]* method="post"[^>]*>.*?<\/form>/gs);
  return [...forms].flatMap(([form]) => {
    const action = attribute(form, 'action');
    return action?.startsWith('/console')
      ? [{ action: action.slice('/console'.length), fields: fill(form, type) }]
      : [];
  });
}

function fill(form: string, type: (name: string) => string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [element, kind] of form.matchAll(/<(input|textarea|button)\b[^>]*>/g)) {
    const name = attribute(element, 'name');
    if (name === undefined) continue;
    const value = attribute(element, 'value') ?? '';
    const isGiven = kind === 'button' || /type="(hidden|checkbox|radio)"/.test(element);
    fields[name] = isGiven ? value : type(name);
  }
  for (const [select, attributes = ''] of form.matchAll(/<select\b([^>]*)>.*?<\/select>/gs)) {
    const name = attribute(attributes, 'name');
    const values = [...select.matchAll(/<option[^>]*>/g)].map(([option]) => attribute(option, 'value') ?? '');
    if (name !== undefined) fields[name] = values.find((value) => value !== '') ?? '';
  }
  return fields;
}

function attribute(element: string, name: string): string | undefined {
  const [, value] = new RegExp(` ${name}="([^"]*)"`).exec(element) ?? [];
  return value === undefined ? undefined : decodeEntities(value);
}
