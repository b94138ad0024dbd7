import { html, raw } from 'hono/html';
import { type Html, markdown } from '../../../shared/reference/markdown.ts';
import { style } from '../../../shared/reference/style.ts';
import { firstSteps } from '../guide.ts';

/** Renders the page at the root: what this service is, the first steps, and where the reference is. */
export function startPage(title: string): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${html`<style>${raw(style)}</style>`}
</head>
<body>
<div class="page">
<main>
<h1>${title}</h1>
<p>Collects mobile-money payments for merchants. <a href="/docs">API reference</a>, <a href="/openapi.json">openapi.json</a>.</p>
${markdown(firstSteps())}
</main>
</div>
</body>
</html>`;
}
