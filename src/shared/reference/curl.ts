import { html } from 'hono/html';
import { type DocumentedOperation, exampleValues, type Schemas } from './document.ts';
import { exampleOf } from './example.ts';
import type { Html } from './markdown.ts';

/** Curl commands for an operation, one per example body. They use `$KEY` and `$ADMIN_TOKEN`. */
export function curlExamples(documented: DocumentedOperation, address: string, schemas: Schemas): Html[] {
  const media = documented.operation.requestBody?.content['application/json'];
  const given = exampleValues(media);
  const bodies = given.length === 0 && media ? [exampleOf(media.schema, schemas)] : given;
  const commands =
    bodies.length === 0
      ? [curlCommand(documented, address)]
      : bodies.map((body) => curlCommand(documented, address, body));
  return commands.map((command) => html`<pre class="copy"><code>${command}</code></pre>`);
}

function curlCommand(
  { method, path, operation }: DocumentedOperation,
  address: string,
  body?: unknown,
): string {
  const parameters = operation.parameters ?? [];
  const exampleFor = (name: string, location: string) => {
    const found = parameters.find((parameter) => parameter.name === name && parameter.in === location);
    return found ? String(exampleOf(found.schema, {}, name)) : '';
  };
  const filledPath = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(exampleFor(name, 'path')),
  );
  const query = parameters
    .filter(({ in: location, required, schema }) => {
      return location === 'query' && (required || schema.example !== undefined);
    })
    .map(({ name }) => `${name}=${encodeURIComponent(exampleFor(name, 'query'))}`);
  const scheme = Object.keys(operation.security?.[0] ?? {})[0];
  const token = scheme === 'adminToken' ? '$ADMIN_TOKEN' : '$KEY';
  const isKeyed = parameters.some(({ in: location, name }) => {
    return location === 'header' && name === 'Idempotency-Key';
  });
  const lines = [
    `curl -sS${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} "${address}${filledPath}${query.length === 0 ? '' : `?${query.join('&')}`}"`,
    ...(scheme === undefined ? [] : [`-H "Authorization: Bearer ${token}"`]),
    // Each run has its own key: with a repeated one, the service would return the first response.
    ...(isKeyed ? ['-H "Idempotency-Key: $(date +%s%N)"'] : []),
    ...(body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(body).replaceAll("'", `'\\''`)}'`]),
  ];
  return lines.join(' \\\n  ');
}
