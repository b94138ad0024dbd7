import { Hono } from 'hono';
import { onTestFinished } from 'vitest';
import type { Person } from '../../../src/gateway/access/permissions.ts';
import { createConsoleApp as createApp } from '../../../src/gateway/console/console-app.tsx';
import type { ConsoleContext, ConsoleEnv } from '../../../src/gateway/console/define-route.ts';
import { liveLimits } from '../../../src/gateway/console/payment-live.ts';
import { createReader, createReads, type GatewayReads } from '../../../src/gateway/wiring/reads.ts';
import { InFlightLimit } from '../../../src/shared/limits/in-flight-limit.ts';
import { readAssets } from '../../../src/shared/pages/assets.ts';
import { defaultTimeZone } from '../../../src/shared/time-text.ts';
import { createSqliteReader } from '../../../src/sqlite/sqlite.ts';
import { createSilentLog } from '../../kit/log.ts';
import type { Till } from '../../kit/till.ts';

export const origin = 'http://127.0.0.1:8080';

/** Who looks at the pages. */
const person = { id: 'acc_1', name: 'ama', role: 'agent', merchantId: null, disabledAt: null } as const;

/** The accounts of a gateway in which this person is signed in, with every cookie. */
function accountsAt(now: number) {
  const session: Person['session'] = {
    ...{ digest: '', id: 'ses_1', accountId: person.id, kind: 'full', createdAt: now, confirmedAt: 0 },
    seenAt: Number.MAX_SAFE_INTEGER,
  };
  return { find: async () => person, findSession: async () => session, list: async () => [] };
}

/** Serves the pages of a till's payments to one person, as a signed-in browser sees them. `reads` replaces reads of the ledger. */
export function createConsoleApp(
  till: Till,
  { reads: own }: { reads?: (reads: GatewayReads) => Partial<GatewayReads> } = {},
): Hono<ConsoleEnv> {
  const store = createSqliteReader(till.config.database.file, { live: true });
  onTestFinished(() => store.close());
  const closing = new AbortController();
  onTestFinished(() => closing.abort());
  const reads = createReads(store);
  const { clock } = till;
  const accounts = accountsAt(clock.now());
  const parts = {
    reader: { ...createReader(store), by: () => ({ ...reads, ...own?.(reads) }) },
    operations: {
      ...{ livemode: 0, clock, accounts, merchantIds: () => [] },
      channelIds: () => till.config.channels.map(({ id }) => id),
      timeZone: () => defaultTimeZone,
    },
    accounts: { livemode: 0, clock, accounts },
    views: { list: async () => [] },
    ...{ clock, log: createSilentLog(), assets: readAssets('console'), closing: closing.signal },
    ...{ publicUrl: new URL(origin), streams: new InFlightLimit(liveLimits) },
  };
  // The pages of payments use no other parts.
  const app = createApp(parts as unknown as ConsoleContext);
  return new Hono<ConsoleEnv>().basePath('/console').all('*', (c) => {
    const request = new Request(c.req.raw);
    request.headers.set('cookie', 'dialtill_console=1');
    request.headers.set('sec-fetch-site', 'same-origin');
    return new Hono<ConsoleEnv>().route('/console', app).fetch(request, c.env);
  });
}

/** Types a text into the search box, and returns the path that the browser is sent to, and the page without one. */
export async function search(app: Hono<ConsoleEnv>, q: string) {
  const answer = await app.request(`${origin}/console/search`, {
    method: 'POST',
    body: new URLSearchParams({ q }),
  });
  return {
    status: answer.status,
    path: answer.headers.get('location'),
    page: (await answer.text()).replaceAll('\u00a0', ' '),
  };
}

export async function get(app: Hono<ConsoleEnv>, path: string) {
  const answer = await app.request(`${origin}${path}`);
  return { status: answer.status, page: (await answer.text()).replaceAll('\u00a0', ' ') };
}
