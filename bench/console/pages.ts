import { consoleRoutes } from '../../src/gateway/console/pages.ts';
import type { Server } from '../collection/measure.ts';
import { seedMerchant } from '../collection/tills.ts';
import { median, quantile } from '../kit/median.ts';
import { type Person, type Role, signIn } from './browser.ts';

/** What people type into the search box, with the people and references of the seeded ledger. */
const searches = [
  '0244123456',
  '3456',
  'INV-7042',
  'INV-70',
  '20.50',
  'no such word',
  'status:paid',
  'reason:declined',
  'status:paid amount:20..50 on:{yesterday}',
  'channel:nalo network:mtn',
];

/** Filters of pages, beside each page without one. */
const filtered = [
  '/payments?min=190',
  '/payments?last4=3456',
  '/payments?status=paid',
  '/payments?status=failed&reason=declined',
  '/payments?from={yesterday}T12:00',
  '/payments?network=mtn&channel=nalo&from={lastMonth}',
  '/payments?merchant=abena-stores',
  '/menu?days=30',
];

/** The role of a page that a lead may not see. */
const roles: Readonly<Record<string, Role>> = {
  '/audit': 'admin',
  '/staff': 'admin',
  '/keys': 'admin',
  '/days/:id/close': 'finance',
};

/** Files, streams, and pages of accounts: they read no payments. Pages that need a confirmation are not measured either. */
const unmeasured =
  /\.csv$|\/(live|export|revoke)$|^\/(assets|sign-in|confirm|first-use|set-up|me|deciders|staff\/:id|endpoints\/:id\/)(\/|$|:)/;

export type PageFigure = {
  what: string;
  kind: 'search' | 'page';
  medianMs: number;
  p95Ms: number;
  /** The processor time of the gateway, with its jobs, and the queries of its reads, for one request. */
  cpuMs: number;
  queries: number;
  /** The page without compression. */
  bytes: number;
};

/**
 * Measures each search and every page of the console's routes, from the request to the end of the answer, with the redirect of a search.
 * A page without an example in the ledger is named, and not measured.
 */
export async function measurePages(gateway: Server, requests: number): Promise<PageFigure[]> {
  const { url } = gateway.started;
  const figures: PageFigure[] = [];
  const measure = async (
    what: string,
    { kind, role = 'lead' }: { kind: PageFigure['kind']; role?: Role | undefined },
    open: (person: Person, at: number) => Promise<string>,
  ) => {
    let person = await signIn(url, role);
    await open(person, 0);
    const elapsed: number[] = [];
    let bytes = 0;
    const before = { ...(await gateway.usage()), queries: Number(await gateway.ask('queries')) };
    for (let at = 0; at < requests; at++) {
      // The two requests of a search count.
      if (at % 50 === 48) person = await signIn(url, role);
      const startedAt = performance.now();
      bytes += Buffer.byteLength(await open(person, at));
      elapsed.push(performance.now() - startedAt);
    }
    const { cpuMs } = await gateway.usage();
    figures.push({
      ...{ what, kind, medianMs: median(elapsed), p95Ms: quantile(elapsed, 0.95) },
      cpuMs: (cpuMs - before.cpuMs) / requests,
      queries: (Number(await gateway.ask('queries')) - before.queries) / requests,
      bytes: Math.round(bytes / requests),
    });
  };
  const paths = consoleRoutes
    .filter(({ audience }) => typeof audience === 'object' && audience.isConfirmed !== true)
    .map(({ name }) => name.split(' '))
    .flatMap(([method, path = '']) => (method === 'GET' && !unmeasured.test(path) ? [path] : []));
  const links = await readLinks(url, [...paths.filter((path) => !path.includes(':')), ...filtered]);
  for (const q of searches.map(fillDates))
    await measure(q, { kind: 'search' }, (person) => person.open({ q }));
  for (const path of [...paths, ...filtered.map(fillDates)]) {
    const examples = findExamples(links, path);
    if (examples.length === 0) {
      process.stderr.write(`not measured, because no page of the ledger links it: ${path}\n`);
      continue;
    }
    await measure(path, { kind: 'page', role: roles[path] }, (person, at) =>
      person.open({ path: examples[at % examples.length] ?? '' }),
    );
  }
  return figures;
}

/** Returns the paths of the console that these pages, and the pages that they link, name. */
async function readLinks(url: string, first: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  const seen = new Set<string>();
  for (const round of [first.map(fillDates), found]) {
    for (const path of [...round]) {
      const kind = path.replace(/(?<=^\/\w+\/)[^/?]*/, '');
      if (seen.has(kind)) continue;
      seen.add(kind);
      const person = await signIn(url, roles[path]);
      const text = await person.open({ path: path === '/' ? '' : path }).catch(() => '');
      for (const [, link = ''] of text.matchAll(/ href="\/console(\/[^"?#]+)/g)) found.add(link);
    }
  }
  return [...found];
}

/** Returns the addresses of a route: itself, or the links that its parameter fits. */
function findExamples(links: readonly string[], path: string): string[] {
  if (!path.includes('/:')) return [path === '/' ? '' : path];
  // People who may not close a day get no link to it.
  if (path === '/days/:id/close') return [`/days/${dayOf(1)}/close?merchant=${seedMerchant}`];
  const pattern = new RegExp(`^${path.replace(':id', '[^/]+')}$`);
  return links.filter((link) => pattern.test(link) && !link.endsWith('/new'));
}

const dayOf = (daysAgo: number) => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);

function fillDates(text: string): string {
  return text.replace('{yesterday}', dayOf(1)).replace('{lastMonth}', dayOf(30));
}
