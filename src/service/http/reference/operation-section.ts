import { html } from 'hono/html';
import type { Schema } from '../example.ts';
import { curlOf } from './curl.ts';
import { fieldTable, fieldTables, typeOf } from './fields.ts';
import { type Html, inline } from './markdown.ts';

/** An operation or a webhook as the document holds it, with its place. */
export type Described = {
  method: string;
  path: string;
  kind: 'operation' | 'webhook';
  operation: OperationObject;
};

type OperationObject = {
  operationId: string;
  tags?: string[];
  summary: string;
  description?: string;
  security?: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, Media> };
  responses: Record<string, { description: string; content?: Record<string, Media> }>;
};

type Parameter = {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: Schema;
};

type Media = { schema: Schema; example?: unknown; examples?: Record<string, { value: unknown }> };

type Schemas = Readonly<Record<string, Schema>>;

/** The operations of the document's `paths` or `webhooks`, in their order. */
export function describedIn(items: object, kind: Described['kind']): Described[] {
  return Object.entries(items).flatMap(([path, item]) =>
    Object.entries(item as Record<string, OperationObject>).map(([method, operation]) => ({
      method,
      path,
      kind,
      operation,
    })),
  );
}

/** All about one operation: what it takes, an example, what it answers and how it refuses. */
export function operationSection(one: Described, schemas: Schemas): Html {
  const { method, path, kind, operation } = one;
  const body = operation.requestBody?.content['application/json'];
  const address =
    kind === 'webhook'
      ? html`<code>${path}</code>`
      : html`<span class="method ${method}">${method}</span> ${path}`;
  return html`<article id="${operation.operationId}">
<h3>${operation.summary}</h3>
<p class="address">${address}</p>
${operation.description === undefined ? '' : html`<p>${inline(operation.description)}</p>`}
${kind === 'webhook' ? '' : html`<p class="soft">${inline(accessOf(operation))}</p>`}
${parametersOf(operation, schemas)}
${body ? html`<h4>Body</h4>${fieldTables(body.schema, schemas)}` : ''}
${kind === 'webhook' ? examplesOf(body) : html`<h4>Call</h4>${curlOf(one)}`}
${
  kind === 'webhook'
    ? ''
    : Object.entries(operation.responses)
        .filter(succeeds)
        .map(([status, answer]) => answered(status, answer, schemas))
}
${kind === 'webhook' ? '' : refusalsOf(operation)}
</article>`;
}

function accessOf({ security = [] }: OperationObject): string {
  const [[scheme, scopes = []] = []] = security.map((one) => Object.entries(one)[0]);
  if (scheme === undefined) return 'Needs no key.';
  if (scheme === 'adminToken') return 'Needs the admin token.';
  return scopes.length === 0
    ? 'Needs a secret key.'
    : `Needs a secret key with the scope \`${scopes.join('`, `')}\`.`;
}

function parametersOf({ parameters = [] }: OperationObject, schemas: Schemas): Html | string {
  if (parameters.length === 0) return '';
  const rows = parameters.map(({ name, in: place, required = false, description = '', schema }) => ({
    name,
    type: `${place}: ${typeOf(schema, schemas)}`,
    required,
    text: description,
  }));
  return html`<h4>Parameters</h4>${fieldTable(rows)}`;
}

function answered(status: string, answer: OperationObject['responses'][string], schemas: Schemas): Html {
  const [type, media] = Object.entries(answer.content ?? {})[0] ?? [];
  const fields =
    media && type === 'application/json'
      ? html`${examplesOf(media)}<details><summary>Fields of the answer</summary>${fieldTables(media.schema, schemas)}</details>`
      : '';
  return html`<h4>Answer ${status}</h4><p>${inline(answer.description)}</p>${fields}`;
}

function refusalsOf({ responses }: OperationObject): Html | string {
  const rows = Object.entries(responses)
    .filter((one) => !succeeds(one))
    .flatMap(([status, { content }]) =>
      Object.keys(content?.['application/json']?.examples ?? {}).map(
        (code) => html`<a href="#${code}"><code>${code}</code></a> <span class="soft">${status}</span> `,
      ),
    );
  return rows.length === 0 ? '' : html`<details><summary>Errors</summary><p>${rows}</p></details>`;
}

function succeeds([status]: [string, unknown]): boolean {
  return status.startsWith('2');
}

function examplesOf(media: Media | undefined): Html[] {
  const values = media?.examples
    ? Object.values(media.examples).map(({ value }) => value)
    : [media?.example].filter((value) => value !== undefined);
  return values.map((value) => html`<pre class="copy"><code>${JSON.stringify(value, null, 2)}</code></pre>`);
}
