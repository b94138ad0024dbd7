import { html } from 'hono/html';

export type Html = ReturnType<typeof html>;

/**
 * Renders the subset of Markdown that the document's texts use: `## ` headings, paragraphs, lists, fenced code and
 * `code`. Everything else is escaped as text.
 */
export function markdown(text: string): Html[] {
  return text
    .split(/(^```[\s\S]*?^```$)/m)
    .flatMap((part) => (part.startsWith('```') ? [fenced(part)] : part.split(/\n{2,}/).flatMap(block)));
}

/** Renders one line of text with its `code`. */
export function inline(text: string): Html[] {
  return text
    .split(/(`[^`]+`)/)
    .map((part) => (/^`.+`$/s.test(part) ? html`<code>${part.slice(1, -1)}</code>` : html`${part}`));
}

/** Returns the anchor of a heading. */
export function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

export function listHeadings(text: string): string[] {
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
