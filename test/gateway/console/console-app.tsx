import { Hono } from 'hono';
import { onTestFinished } from 'vitest';
import type { Person } from '../../../src/gateway/access/actor.ts';
import type { ConsoleEnv, PageContent } from '../../../src/gateway/console/define-route.ts';
import { maskedNumbers, type NumberView } from '../../../src/gateway/console/numbers.ts';
import { assetPaths, Page } from '../../../src/gateway/console/page.tsx';
import { liveRoute } from '../../../src/gateway/console/payment/live.ts';
import { paymentRoutes } from '../../../src/gateway/console/payment-routes.tsx';
import { createReader, createReads, type GatewayReads } from '../../../src/gateway/wiring/reads.ts';
import { readAssets, sendAsset } from '../../../src/shared/pages/assets.ts';
import { pagePolicy } from '../../../src/shared/pages/policy.ts';
import { createSqliteReader } from '../../../src/sqlite/sqlite.ts';
import type { Till } from '../../kit/till.ts';

export const origin = 'http://127.0.0.1:8080';

/** Who looks at the pages. */
const person: Person = {
  kind: 'person',
  ...{ accountId: 'acc_1', name: 'ama', role: 'agent', merchantId: null },
  session: {
    id: 'ses_1',
    kind: 'full',
    accountId: 'acc_1',
    createdAt: 0,
    seenAt: 0,
    digest: '',
    confirmedAt: 0,
  },
};

/** `reads` replaces reads of the ledger. */
type AppOptions = { numbers?: NumberView; pageRows?: number; reads?: Partial<GatewayReads> };

/** Serves the pages of a till's payments to one person, as a signed-in browser sees them. */
export function createConsoleApp(
  till: Till,
  { numbers = maskedNumbers, pageRows = 50, reads }: AppOptions = {},
): Hono<ConsoleEnv> {
  const store = createSqliteReader(till.config.database.file, { live: true });
  onTestFinished(() => store.close());
  const assets = readAssets('console');
  const app = new Hono<ConsoleEnv>().basePath('/console');
  app.use(async (c, next) => {
    c.header('content-security-policy', pagePolicy);
    await next();
  });
  app.get('/assets/:name', (c) => sendAsset(c, assets));
  const closing = new AbortController();
  onTestFinished(() => closing.abort());
  const live = liveRoute({
    ...{ reader: createReader(store), clock: till.clock, closing: closing.signal },
    personNow: async () => person,
  });
  const routes = paymentRoutes({
    reader: { ...createReader(store), by: () => ({ ...createReads(store), ...reads }) },
    clock: till.clock,
    numbers: () => numbers,
    actions: async () => null,
    pageRows,
  });
  for (const { name, handler } of [...routes, live]) {
    const [method = '', path = ''] = name.split(' ');
    app.on(method, path, async (c) => {
      const fields =
        c.req.method === 'POST' ? Object.fromEntries(new URLSearchParams(await c.req.text())) : {};
      const show = ({ title, heading, body, status = 200 }: PageContent) => {
        const frame = { title, heading, person, path: c.req.path, assets: assetPaths(assets) };
        return c.html(
          <Page {...frame} livemode={0}>
            {body}
          </Page>,
          status,
        );
      };
      return handler({ c, person, fields, show });
    });
  }
  return app;
}

/** Types a text into the search box, and returns the path that the browser is sent to, and the page without one. */
export async function search(app: Hono<ConsoleEnv>, q: string) {
  const answer = await app.request(`${origin}/console/search`, {
    method: 'POST',
    body: new URLSearchParams({ q }),
  });
  return { status: answer.status, path: answer.headers.get('location'), page: await answer.text() };
}

export async function get(app: Hono<ConsoleEnv>, path: string) {
  const answer = await app.request(`${origin}${path}`);
  return { status: answer.status, page: await answer.text() };
}
