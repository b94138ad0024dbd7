import { type Fields, readField, readScalar, type Scalar } from './fields.ts';

/**
 * The form of a reply. A text at the top is the body itself; an object is sent as JSON. Within texts `{text}` stands
 * for the screen, `{at}` for the time of the reply, and any other name in braces for that field of the request; a
 * text that is nothing but a field's name in braces keeps the field's type. What the request did not bring is empty.
 */
export type Template = Scalar | { readonly [name: string]: Template };

export type TemplateValues = { readonly fields: Fields; readonly text: string; readonly at: string };

const placeholder = /\{([A-Za-z0-9_.-]+)\}/g;
const onlyPlaceholder = /^\{([A-Za-z0-9_.-]+)\}$/;

/** An aggregator's own values are short; a longer one is not worth sending back. */
const maxEchoLength = 256;

function echoedValue(fields: Fields, name: string): Scalar {
  return bounded(readScalar(fields, [name]) ?? '');
}

function bounded(value: Scalar): Scalar {
  return typeof value === 'string' && value.length > maxEchoLength ? '' : value;
}

/** A field's value on a line of text: nothing in it can look like the end of the field or of the line. */
function lineValue(fields: Fields, name: string): string {
  const value = readField(fields, [name]) ?? '';
  return value.length > maxEchoLength ? '' : value.replace(/[|^\p{C}]/gu, '');
}

function fill(template: Template, values: TemplateValues): unknown {
  if (typeof template === 'string') {
    const name = onlyPlaceholder.exec(template)?.[1];
    if (name === undefined) return fillText(template, values);
    if (name === 'text' || name === 'at') return values[name];
    return echoedValue(values.fields, name);
  }
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([name, inner]) => [name, fill(inner, values)]));
}

function fillText(template: string, values: TemplateValues): string {
  return template.replace(placeholder, (_, name: string) =>
    name === 'text' || name === 'at' ? values[name] : lineValue(values.fields, name),
  );
}

/** Fields that the body itself had, as they arrived; objects and lists are not sent back. */
function echoedFields(fields: Fields): Record<string, Scalar> {
  const own = [...fields.values()].filter((field) => field.own && field.name.length <= maxEchoLength);
  return Object.fromEntries(own.map(({ name, value }) => [name, bounded(value)]));
}

/** Puts the template's fields over the request's, in their place where the names differ only in case. */
function mergeFields(request: Record<string, Scalar>, reply: object): object {
  const names = new Map(Object.keys(request).map((name) => [name.toLowerCase(), name]));
  const own = Object.entries(reply).map(([name, value]) => [names.get(name.toLowerCase()) ?? name, value]);
  return { ...request, ...Object.fromEntries(own) };
}

/** Writes the template as a body. */
export function writeTemplate(template: Template, values: TemplateValues, echo: boolean): string {
  if (typeof template === 'string') return fillText(template, values);
  const filled = fill(template, values);
  const whole = echo && typeof filled === 'object' && filled !== null;
  return JSON.stringify(whole ? mergeFields(echoedFields(values.fields), filled) : filled);
}
