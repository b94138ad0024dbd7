import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import { type DocumentedOperation, errorCodes, listOperations, type ReferenceDocument } from './document.ts';
import type { Schema } from './example.ts';
import { anchorOf, type Html, headingsOf, inline, markdown } from './markdown.ts';
import { operationSection } from './operation-section.ts';
import { style } from './style.ts';

export type ReferenceOptions = {
  /** Where the document is served. */
  documentPath: string;
  /** What commands have before the path of an operation, such as `$SERVICE`. */
  address: string;
  /** What each error code means. */
  errors: Readonly<Record<string, { status: number; message: string }>>;
};

/** The content security policy of a page with this style sheet and nothing else. */
export const referencePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Renders an API reference as one page, without scripts and external resources. */
export function referencePage(document: ReferenceDocument, options: ReferenceOptions): Html {
  const { documentPath, address, errors } = options;
  const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;
  const operations = listOperations(document.paths ?? {}, 'operation');
  const webhooks = listOperations(document.webhooks ?? {}, 'webhook');
  const text = document.info.description ?? '';
  const tags = (document.tags ?? []).map(({ name, description = '' }) => ({
    name,
    description,
    operations: operations.filter(({ operation }) => operation.tags?.includes(name)),
  }));
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${document.info.title}</title>
${styleElement}
</head>
<body>
<div class="page">
<nav aria-label="Contents">
<ul>${headingsOf(text).map((heading) => html`<li><a href="#${anchorOf(heading)}">${heading}</a></li>`)}</ul>
${tags.map((tag) => html`<strong>${tag.name}</strong><ul>${tag.operations.map(linkTo)}</ul>`)}
${webhooks.length === 0 ? '' : html`<strong>Webhook events</strong><ul>${webhooks.map(linkTo)}</ul>`}
<ul><li><a href="#error-codes">Error codes</a></li><li><a href="${documentPath}">openapi.json</a></li></ul>
</nav>
<main>
<h1>${document.info.title}</h1>
<p class="soft">Version ${document.info.version}</p>
${markdown(text)}
${tags.map(
  (
    tag,
  ) => html`<section><h2 id="${anchorOf(`tag ${tag.name}`)}">${tag.name}</h2><p>${inline(tag.description)}</p>
${tag.operations.map((operation) => operationSection(operation, address, schemas))}</section>`,
)}
${webhooks.length === 0 ? '' : html`<section><h2 id="webhook-events">Webhook events</h2>${webhooks.map((webhook) => operationSection(webhook, address, schemas))}</section>`}
<section><h2 id="error-codes">Error codes</h2>${errorTable(operations, errors)}</section>
</main>
</div>
</body>
</html>`;
}

const styleElement = html`<style>${raw(style)}</style>`;

function linkTo({ operation }: DocumentedOperation): Html {
  return html`<li><a href="#${operation.operationId}">${operation.summary}</a></li>`;
}

/** All error codes. A code of more than eight operations is listed with their number, not their names. */
function errorTable(operations: readonly DocumentedOperation[], errors: ReferenceOptions['errors']): Html {
  const rows = Object.entries(errors).map(([code, { status, message }]) => {
    const users = operations.filter(({ operation }) => codesOf(operation).includes(code));
    const operationsCell =
      users.length > 8 ? html`${users.length} operations` : html`${users.map(linkShort)}`;
    return html`<tr id="${code}"><td><code>${code}</code></td><td>${status}</td><td>${inline(message)}</td><td>${operationsCell}</td></tr>`;
  });
  return html`<div class="wide"><table><thead><tr><th>Code</th><th>HTTP</th><th>Message</th><th>Operations</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

function linkShort({ operation }: DocumentedOperation): Html {
  return html`<a href="#${operation.operationId}">${operation.operationId}</a> `;
}

function codesOf({ responses }: DocumentedOperation['operation']): string[] {
  return Object.values(responses).flatMap(errorCodes);
}
