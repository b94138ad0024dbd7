import { Hono } from 'hono';
import { onTestFinished } from 'vitest';
import { maskedNumbers, type NumberView } from '../../../src/gateway/console/numbers.ts';
import { type ConsoleReader, createReader } from '../../../src/gateway/console/reader.ts';
import { paymentRoutes } from '../../../src/gateway/console/routes.tsx';
import { readAssets, sendAsset } from '../../../src/shared/pages/assets.ts';
import { pagePolicy } from '../../../src/shared/pages/policy.ts';
import { createSqliteReader } from '../../../src/sqlite/sqlite.ts';
import type { Till } from '../../kit/till.ts';

export const origin = 'http://127.0.0.1:8080';

type AppOptions = { numbers?: NumberView; pageRows?: number; reader?: ConsoleReader };

/** Serves the pages of a till's payments to one person, as a signed-in browser sees them. */
export function createConsoleApp(
  till: Till,
  { numbers = maskedNumbers, pageRows = 50, reader }: AppOptions = {},
): Hono {
  const store = createSqliteReader(till.config.database.file, { live: true });
  onTestFinished(() => store.close());
  const assets = readAssets('console');
  const paths = { css: `/console/assets/${assets.css.name}`, js: `/console/assets/${assets.js.name}` };
  const app = new Hono().basePath('/console');
  app.use(async (c, next) => {
    c.header('content-security-policy', pagePolicy);
    await next();
  });
  app.get('/assets/:name', (c) => sendAsset(c, assets));
  const routes = paymentRoutes({
    reader: reader ?? createReader(store),
    clock: till.clock,
    shell: () => ({ assets: paths, person: 'ama', livemode: 0 }),
    numbers: () => numbers,
    pageRows,
  });
  for (const { method, path, handler } of routes) app.on(method, path, handler);
  return app;
}

/** Types a text into the search box, and returns the path that the browser is sent to, and the page without one. */
export async function search(app: Hono, q: string) {
  const answer = await app.request(`${origin}/console/search`, {
    method: 'POST',
    body: new URLSearchParams({ q }),
  });
  return { status: answer.status, path: answer.headers.get('location'), page: await answer.text() };
}

export async function get(app: Hono, path: string) {
  const answer = await app.request(`${origin}${path}`);
  return { status: answer.status, page: await answer.text() };
}
