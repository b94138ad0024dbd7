import { html } from 'hono/html';
import { nameOfRef, resolve, type Schema } from '../example.ts';
import { type Html, inline } from './markdown.ts';

type Schemas = Readonly<Record<string, Schema>>;
type Row = { name: string; type: string; required: boolean; text: string };

/** Deeper than any schema of this document: a table must end. */
const deepest = 6;

/** The fields of an object in one table, inner ones by their path; one table for each shape that it may have. */
export function fieldTables(schema: Schema, schemas: Schemas): Html[] {
  const one = resolve(schema, schemas);
  const options = one.anyOf ?? one.oneOf;
  if (options) {
    return options.flatMap((option) => [
      html`<h4>${spaced(nameOfRef(option) ?? 'Either')}</h4>`,
      ...fieldTables(option, schemas),
    ]);
  }
  const rows = rowsOf(one, schemas);
  return rows.length === 0 ? [html`<p class="soft">No fields.</p>`] : [fieldTable(rows)];
}

export function fieldTable(rows: readonly Row[]): Html {
  return html`<div class="wide"><table><thead><tr><th>Field</th><th>Type</th><th>Meaning</th></tr></thead><tbody>${rows.map(
    ({ name, type, required, text }) =>
      html`<tr><td><code>${name}</code></td><td>${type}${required ? '' : html`<br><span class="soft">optional</span>`}</td><td>${inline(text)}</td></tr>`,
  )}</tbody></table></div>`;
}

/** A schema's type and bounds in a few words. */
export function typeOf(schema: Schema, schemas: Schemas): string {
  const one = resolve(schema, schemas);
  const options = one.anyOf ?? one.oneOf;
  if (options) return options.map((option) => typeOf(option, schemas)).join(' or ');
  if (one.enum) return one.enum.map((value) => JSON.stringify(value)).join(', ');
  const types = [one.type ?? 'any'].flat();
  const named = types.map((type) =>
    type === 'array' && one.items ? `list of ${typeOf(one.items, schemas)}` : type,
  );
  return [named.join(' or '), boundsOf(one)].filter((part) => part !== '').join(', ');
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
  if (depth === deepest) return [];
  const rows = Object.entries(object.properties ?? {}).flatMap(([field, schema]) => {
    const name = path === '' ? field : `${path}.${field}`;
    const one = resolve(schema, schemas);
    const row = {
      name,
      type: typeOf(schema, schemas),
      required: object.required?.includes(field) ?? false,
      text: schema.description ?? one.description ?? '',
    };
    return [row, ...innerRows(one, name, schemas, depth + 1)];
  });
  return typeof object.additionalProperties === 'object'
    ? [...rows, ...innerRows(object.additionalProperties, `${path}.*`, schemas, depth + 1)]
    : rows;
}

function innerRows(schema: Schema, name: string, schemas: Schemas, depth: number): Row[] {
  const one = resolve(schema, schemas);
  const options = one.anyOf ?? one.oneOf;
  if (options) {
    const seen = new Set<string>();
    return options
      .flatMap((option) => innerRows(option, name, schemas, depth))
      .filter((row) => !seen.has(row.name) && seen.add(row.name));
  }
  if (one.items) return innerRows(one.items, `${name}[]`, schemas, depth);
  return rowsOf(one, schemas, name, depth);
}

function spaced(name: string): string {
  return name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ');
}
