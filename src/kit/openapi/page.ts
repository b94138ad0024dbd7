import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import type { ErrorTable } from '../api.ts';
import type { ApiDocument } from './document.ts';

type Html = ReturnType<typeof html>;

/**
 * Renders the subset of Markdown that the document's texts use: `## ` headings, paragraphs, lists, fenced code and
 * `code`. Everything else is escaped as text.
 */
function markdown(text: string): Html[] {
  return text
    .split(/(^```[\s\S]*?^```$)/m)
    .flatMap((part) => (part.startsWith('```') ? [fenced(part)] : part.split(/\n{2,}/).flatMap(block)));
}

/** Renders one line of text with its `code`. */
function inline(text: string): Html[] {
  return text
    .split(/(`[^`]+`)/)
    .map((part) => (/^`.+`$/s.test(part) ? html`<code>${part.slice(1, -1)}</code>` : html`${part}`));
}

/** Returns the anchor of a heading. */
function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

function listHeadings(text: string): string[] {
  return [...text.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading);
}

function fenced(part: string): Html {
  const lines = part.split('\n').slice(1, -1);
  return html`<pre class="copy"><code>${lines.join('\n')}</code></pre>`;
}

function block(raw: string): Html[] {
  const text = raw.trim();
  if (text === '') return [];
  if (text.startsWith('## ')) {
    const heading = text.slice(3);
    return [html`<h2 id="${toAnchor(heading)}">${heading}</h2>`];
  }
  if (/^- /.test(text)) return [html`<ul>${listItems(text, /^- /m)}</ul>`];
  if (/^1\. /.test(text)) return [html`<ol>${listItems(text, /^\d+\. /m)}</ol>`];
  return [html`<p>${inline(text)}</p>`];
}

function listItems(text: string, mark: RegExp): Html[] {
  return text
    .split(mark)
    .slice(1)
    .map((item) => html`<li>${inline(item.trim())}</li>`);
}

/** The style sheet of the page: no external fonts or images; light and dark. */
const style = `
:root { color-scheme: light dark; --soft: #6a7480; --tint: #8881; --line: #8884; }
body { max-width: 60rem; margin: 0 auto; padding: 1rem; font: 16px/1.55 system-ui, sans-serif; overflow-wrap: break-word; }
code, pre { font: 0.875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; background: var(--tint); }
pre { border: 1px solid var(--line); padding: 0.75rem; overflow-x: auto; }
pre code { background: none; font-size: 1em; }
pre.copy { user-select: all; -webkit-user-select: all; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
th, td { text-align: left; vertical-align: top; padding: 0.4rem 0.75rem 0.4rem 0; border-bottom: 1px solid var(--line); }
.soft { color: var(--soft); }
`;

/** The content security policy of a page with this style sheet and nothing else. */
export const guidePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const styleElement = html`<style>${raw(style)}</style>`;

/**
 * Renders the guide of an API as one page without scripts and external resources: the introduction of its document, a list of
 * the operations and the errors. `documentPath` is where the document is served, which has everything else.
 */
export function guidePage(document: ApiDocument, documentPath: string, errors: ErrorTable): Html {
  const { info, tags } = document;
  const headings = [...listHeadings(info.description), ...tags.map(({ name }) => name), 'Error codes'];
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title}</title>
${styleElement}
</head>
<body>
<h1>${info.title}</h1>
<p class="soft">Version ${info.version}. Fields, examples and answers: <a href="${documentPath}">openapi.json</a>, for a viewer or a generator of clients.</p>
<nav aria-label="Contents"><ul>${headings.map((name) => html`<li><a href="#${toAnchor(name)}">${name}</a></li>`)}</ul></nav>
<main>
${markdown(info.description)}
${tags.map(({ name, description }) => html`<h2 id="${toAnchor(name)}">${name}</h2><p>${inline(description)}</p>${operationTable(document, name)}`)}
<h2 id="error-codes">Error codes</h2>
${getTable(
  ['Code', 'HTTP', 'Meaning'],
  Object.entries(errors).map(
    ([code, { status, message }]) =>
      html`<tr id="${code}"><td><code>${code}</code></td><td>${status}</td><td>${inline(message)}</td></tr>`,
  ),
)}
</main>
</body>
</html>`;
}

function operationTable({ paths }: ApiDocument, tag: string): Html {
  const rows = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { tags = [] }]) => tags.includes(tag))
      .map(([method, { operationId, summary, security }]) => {
        const [[scheme, scopes = []] = []] = security.flatMap((one) => Object.entries(one));
        const access = [scheme ?? 'none', ...scopes].join(', ');
        return html`<tr id="${operationId}"><td><code>${method.toUpperCase()} ${path}</code></td><td>${inline(summary)}</td><td>${access}</td></tr>`;
      }),
  );
  return getTable(['Operation', 'Purpose', 'Key'], rows);
}

function getTable(headings: readonly string[], rows: readonly Html[]): Html {
  return html`<div class="wide"><table><thead><tr>${headings.map((text) => html`<th>${text}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>`;
}
