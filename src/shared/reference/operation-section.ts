import { html } from 'hono/html';
import { curlExamples } from './curl.ts';
import {
  type DocumentedOperation,
  errorCodes,
  exampleValues,
  type Media,
  type OperationObject,
  type ResponseObject,
  type Schemas,
} from './document.ts';
import { fieldTable, fieldTables, typeOf } from './fields.ts';
import { type Html, inline } from './markdown.ts';

/** The section of one operation or webhook: its parameters, body, examples, responses and errors. `address` is before each path. */
export function operationSection(documented: DocumentedOperation, address: string, schemas: Schemas): Html {
  const { method, path, kind, operation } = documented;
  const body = operation.requestBody?.content['application/json'];
  const heading =
    kind === 'webhook'
      ? html`<code>${path}</code>`
      : html`<span class="method ${method}">${method}</span> ${path}`;
  return html`<article id="${operation.operationId}">
<h3>${operation.summary}</h3>
<p class="address">${heading}</p>
${operation.description === undefined ? '' : html`<p>${inline(operation.description)}</p>`}
${kind === 'webhook' ? '' : html`<p class="soft">${inline(accessText(operation))}</p>`}
${parameterTable(operation, schemas)}
${body ? html`<h4>Body</h4>${fieldTables(body.schema, schemas)}` : ''}
${kind === 'webhook' ? exampleBlocks(body) : html`<h4>Request</h4>${curlExamples(documented, address, schemas)}`}
${
  kind === 'webhook'
    ? ''
    : Object.entries(operation.responses)
        .filter(isSuccess)
        .map(([status, response]) => responseSection(status, response, schemas))
}
${kind === 'webhook' ? '' : errorList(operation)}
</article>`;
}

function accessText({ security = [] }: OperationObject): string {
  const [[scheme, scopes = []] = []] = security.map((requirement) => Object.entries(requirement)[0]);
  if (scheme === undefined) return 'Requires no key.';
  if (scheme === 'adminToken') return 'Requires the admin token.';
  return scopes.length === 0
    ? 'Requires a secret key.'
    : `Requires a secret key with the scope \`${scopes.join('`, `')}\`.`;
}

function parameterTable({ parameters = [] }: OperationObject, schemas: Schemas): Html | string {
  if (parameters.length === 0) return '';
  const rows = parameters.map(({ name, in: location, required = false, description = '', schema }) => ({
    name,
    type: `${location}: ${typeOf(schema, schemas)}`,
    required,
    text: description,
  }));
  return html`<h4>Parameters</h4>${fieldTable(rows)}`;
}

function responseSection(status: string, response: ResponseObject, schemas: Schemas): Html {
  const [type, media] = Object.entries(response.content ?? {})[0] ?? [];
  const fields =
    media && type === 'application/json'
      ? html`${exampleBlocks(media)}<details><summary>Fields of the response</summary>${fieldTables(media.schema, schemas)}</details>`
      : '';
  return html`<h4>Response ${status}</h4><p>${inline(response.description)}</p>${fields}`;
}

function errorList({ responses }: OperationObject): Html | string {
  const links = Object.entries(responses)
    .filter((entry) => !isSuccess(entry))
    .flatMap(([status, response]) =>
      errorCodes(response).map(
        (code) => html`<a href="#${code}"><code>${code}</code></a> <span class="soft">${status}</span> `,
      ),
    );
  return links.length === 0 ? '' : html`<details><summary>Errors</summary><p>${links}</p></details>`;
}

function isSuccess([status]: [string, unknown]): boolean {
  return status.startsWith('2');
}

function exampleBlocks(media: Media | undefined): Html[] {
  return exampleValues(media).map(
    (value) => html`<pre class="copy"><code>${JSON.stringify(value, null, 2)}</code></pre>`,
  );
}
