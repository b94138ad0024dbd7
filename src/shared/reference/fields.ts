import { html } from 'hono/html';
import type { Schemas } from './document.ts';
import { componentName, resolve, type Schema } from './example.ts';
import { type Html, inline } from './markdown.ts';

type Row = { name: string; type: string; required: boolean; text: string };

/** Deeper than any schema of this document; bounds the recursion. */
const maxDepth = 6;

/** Tables of an object's fields, nested fields by their path. One table per variant of the schema. */
export function fieldTables(schema: Schema, schemas: Schemas): Html[] {
  const resolved = resolve(schema, schemas);
  const options = resolved.anyOf ?? resolved.oneOf;
  if (options) {
    return options.flatMap((option) => [
      html`<h4>${splitWords(componentName(option) ?? 'Either')}</h4>`,
      ...fieldTables(option, schemas),
    ]);
  }
  const rows = rowsOf(resolved, schemas);
  return rows.length === 0 ? [html`<p class="soft">No fields.</p>`] : [fieldTable(rows)];
}

export function fieldTable(rows: readonly Row[]): Html {
  return html`<div class="wide"><table><thead><tr><th>Field</th><th>Type</th><th>Meaning</th></tr></thead><tbody>${rows.map(
    ({ name, type, required, text }) =>
      html`<tr><td><code>${name}</code></td><td>${type}${required ? '' : html`<br><span class="soft">optional</span>`}</td><td>${inline(text)}</td></tr>`,
  )}</tbody></table></div>`;
}

/** Describes a schema's type and bounds in a few words. */
export function typeOf(schema: Schema, schemas: Schemas): string {
  const resolved = resolve(schema, schemas);
  const options = resolved.anyOf ?? resolved.oneOf;
  if (options) return options.map((option) => typeOf(option, schemas)).join(' or ');
  if (resolved.enum) return resolved.enum.map((value) => JSON.stringify(value)).join(', ');
  const types = [resolved.type ?? 'any'].flat();
  const named = types.map((type) =>
    type === 'array' && resolved.items ? `list of ${typeOf(resolved.items, schemas)}` : type,
  );
  return [named.join(' or '), boundsOf(resolved)].filter((part) => part !== '').join(', ');
}

function boundsOf({
  minimum,
  maximum,
  minLength,
  maxLength,
  minItems,
  maxItems,
  pattern,
  format,
}: Schema): string {
  const range = (low: number | undefined, high: number | undefined, unit: string) => {
    if (low === undefined && high === undefined) return '';
    if (low === undefined) return `at most ${high}${unit}`;
    return high === undefined ? `at least ${low}${unit}` : `${low} to ${high}${unit}`;
  };
  return [
    range(minimum, maximum, ''),
    range(minLength, maxLength, ' characters'),
    range(minItems, maxItems, ' items'),
    pattern ?? '',
    format ?? '',
  ]
    .filter((part) => part !== '')
    .join(', ');
}

function rowsOf(object: Schema, schemas: Schemas, path = '', depth = 0): Row[] {
  if (depth === maxDepth) return [];
  const rows = Object.entries(object.properties ?? {}).flatMap(([field, schema]) => {
    const name = path === '' ? field : `${path}.${field}`;
    const resolved = resolve(schema, schemas);
    const row = {
      name,
      type: typeOf(schema, schemas),
      required: object.required?.includes(field) ?? false,
      text: schema.description ?? resolved.description ?? '',
    };
    return [row, ...innerRows(resolved, name, schemas, depth + 1)];
  });
  return typeof object.additionalProperties === 'object'
    ? [...rows, ...innerRows(object.additionalProperties, `${path}.*`, schemas, depth + 1)]
    : rows;
}

function innerRows(schema: Schema, name: string, schemas: Schemas, depth: number): Row[] {
  const resolved = resolve(schema, schemas);
  const options = resolved.anyOf ?? resolved.oneOf;
  if (options) {
    const seen = new Set<string>();
    return options
      .flatMap((option) => innerRows(option, name, schemas, depth))
      .filter((row) => !seen.has(row.name) && seen.add(row.name));
  }
  if (resolved.items) return innerRows(resolved.items, `${name}[]`, schemas, depth);
  return rowsOf(resolved, schemas, name, depth);
}

function splitWords(name: string): string {
  return name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ');
}
