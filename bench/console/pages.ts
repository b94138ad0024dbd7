import { median, quantile } from '../kit/median.ts';
import { type Person, signIn } from './browser.ts';

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
  'status:paid amount:20..50 on:2026-03-12',
  'channel:nalo network:mtn',
];

/** The pages that read the ledger. `{id}` is a payment, another one each time. */
const pages = [
  '',
  '/payments',
  '/payments?min=190',
  '/payments?last4=3456',
  '/payments/{id}',
  '/payments/{id}/payer',
  '/desk',
  '/days',
  '/days/2026-03-12',
  '/abuse',
  '/sessions',
  '/unplaced',
  '/endpoints',
  '/audit',
];

export type PageFigure = { what: string; kind: 'search' | 'page'; medianMs: number; p95Ms: number };

/** Measures each search and page, from the request to the end of the answer, with the redirect of a search. */
export async function measurePages(url: string, requests: number): Promise<PageFigure[]> {
  const figures: PageFigure[] = [];
  const measure = async (
    what: string,
    kind: PageFigure['kind'],
    open: (person: Person, at: number) => Promise<unknown>,
  ) => {
    // The two requests of a search count.
    let person = await signIn(url);
    const elapsed: number[] = [];
    for (let at = 0; at < requests; at++) {
      if (at % 50 === 49) person = await signIn(url);
      const before = performance.now();
      await open(person, at);
      elapsed.push(performance.now() - before);
    }
    figures.push({ what, kind, medianMs: median(elapsed), p95Ms: quantile(elapsed, 0.95) });
  };
  const list = await (await signIn(url)).open({ path: '/payments' });
  const ids = [...list.matchAll(/\/payments\/(col_\w+)/g)].map(([, id = '']) => id);
  for (const q of searches) await measure(q, 'search', (person) => person.open({ q }));
  for (const path of pages) {
    const pathOf = (at: number) => path.replace('{id}', ids[at % ids.length] ?? '');
    await measure(path || '/', 'page', (person, at) => person.open({ path: pathOf(at) }));
  }
  return figures;
}
