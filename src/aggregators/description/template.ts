import { type RequestFields, type RequestScalar, readField, readScalar } from './request-fields.ts';

/**
 * The template of a reply. A text is the body itself; an object is sent as JSON. In texts, `{text}` is replaced by the
 * screen, `{at}` by the time of the reply, and any other name in braces by that field of the request. A text that consists
 * of one placeholder keeps the type of the field. A field that the request does not have is empty. In XML, every value is escaped.
 */
export type Template = RequestScalar | { readonly [name: string]: Template };

type TemplateValues = {
  readonly fields: RequestFields;
  readonly text: string;
  readonly at: string;
  readonly isXml: boolean;
};

const placeholder = /\{([A-Za-z0-9_.-]+)\}/g;
const onlyPlaceholder = /^\{([A-Za-z0-9_.-]+)\}$/;

/** Values of aggregators are short. A longer value is replaced by an empty one. */
const maxEchoLength = 256;

function echoedValue(fields: RequestFields, name: string): RequestScalar {
  return bounded(readScalar(fields, [name]) ?? '');
}

function bounded(value: RequestScalar): RequestScalar {
  return typeof value === 'string' && value.length > maxEchoLength ? '' : value;
}

/** Returns a field's value for a line of text, without characters that would end the field or the line. */
function lineValue(fields: RequestFields, name: string): string {
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
  return template.replace(placeholder, (_, name: string) => {
    const value = name === 'text' || name === 'at' ? values[name] : lineValue(values.fields, name);
    return values.isXml ? escapeXml(value) : value;
  });
}

/** Returns the top-level fields of the request's body. Objects and lists are not echoed. */
function echoedFields(fields: RequestFields): Record<string, RequestScalar> {
  const own = [...fields.values()].filter((field) => field.own && field.name.length <= maxEchoLength);
  return Object.fromEntries(own.map(({ name, value }) => [name, bounded(value)]));
}

/** Replaces fields of the request by fields of the template. Names that differ only in case are the same field. */
function mergeFields(request: Record<string, RequestScalar>, reply: object): object {
  const names = new Map(Object.keys(request).map((name) => [name.toLowerCase(), name]));
  const own = Object.entries(reply).map(([name, value]) => [names.get(name.toLowerCase()) ?? name, value]);
  return { ...request, ...Object.fromEntries(own) };
}

/** Writes a body from the template. @param echo whether the body starts with the fields of the request. */
export function writeTemplate(template: Template, values: TemplateValues, echo: boolean): string {
  if (typeof template === 'string') return fillText(template, values);
  const filled = fill(template, values);
  const hasEcho = echo && typeof filled === 'object' && filled !== null;
  return JSON.stringify(hasEcho ? mergeFields(echoedFields(values.fields), filled) : filled);
}

/** True when a reply is XML, by its content type: `text/xml`, `application/xml`, `application/soap+xml`. */
export function isXml(contentType: string): boolean {
  return /[/+]xml\b/.test(contentType);
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

const characters = new Map(Object.entries(entities).map(([character, entity]) => [entity, character]));

/** Characters that no XML 1.0 document can contain, also not as entities. */
const impossible = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

/** Returns a text as the content of an XML element, or as the value of an attribute in either kind of quotes. */
export function escapeXml(text: string): string {
  return text.replace(impossible, '').replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

/** Returns the text of what `escapeXml` has written. */
export function unescapeXml(xml: string): string {
  return xml.replace(/&\w+;/g, (entity) => characters.get(entity) ?? entity);
}
