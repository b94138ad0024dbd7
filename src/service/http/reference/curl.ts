import { html } from 'hono/html';
import { exampleOf } from '../example.ts';
import type { Html } from './markdown.ts';
import type { Described } from './operation-section.ts';

/** Commands that make the call, one for each example of its body; `$SERVICE`, `$KEY` and `$ADMIN_TOKEN` are the reader's. */
export function curlOf(one: Described): Html[] {
  const media = one.operation.requestBody?.content['application/json'];
  const bodies = media?.examples
    ? Object.values(media.examples).map(({ value }) => value)
    : [media?.example].filter((value) => value !== undefined);
  const commands =
    bodies.length === 0 ? [commandOf(one)] : bodies.map((body, at) => commandOf(one, body, at));
  return commands.map((command) => html`<pre class="copy"><code>${command}</code></pre>`);
}

function commandOf({ method, path, operation }: Described, body?: unknown, at = 0): string {
  const parameters = operation.parameters ?? [];
  const exampleFor = (name: string, place: string) => {
    const found = parameters.find((one) => one.name === name && one.in === place);
    return found ? String(exampleOf(found.schema, {}, name)) : '';
  };
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(exampleFor(name, 'path')),
  );
  const query = parameters
    .filter((one) => one.in === 'query' && (one.required || one.schema.example !== undefined))
    .map(({ name }) => `${name}=${encodeURIComponent(exampleFor(name, 'query'))}`);
  const scheme = Object.keys(operation.security?.[0] ?? {})[0];
  const parts = [
    `curl -sS${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} "$SERVICE${address}${query.length === 0 ? '' : `?${query.join('&')}`}"`,
    ...(scheme === undefined
      ? []
      : [`-H "Authorization: Bearer ${scheme === 'adminToken' ? '$ADMIN_TOKEN' : '$KEY'}"`]),
    ...(parameters.some((one) => one.in === 'header' && one.name === 'Idempotency-Key')
      ? // Commands that are copied one after the other must not share a key.
        [`-H 'Idempotency-Key: ${operation.operationId}-${at + 1}'`]
      : []),
    ...(body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(body).replaceAll("'", `'\\''`)}'`]),
  ];
  return parts.join(' \\\n  ');
}
