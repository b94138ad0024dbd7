import { consoleRoutes } from '../../../src/gateway/console/pages.ts';
import type { RouteName } from '../../../src/kit/define-route.ts';

/** A page that was visited. `path` is relative to `/console`. */
export type Visit = {
  path: string;
  route: RouteName | undefined;
  status: number;
  type: string;
  text: string;
};

/** The queries of one path that are visited: the filters of a list lead to each other in every combination. */
const maxQueries = 8;

/** Requests a path of the console as one person. */
export type Ask = (path: string) => Promise<Response>;

/** More are a sign of pages that lead to new pages without an end. */
const maxVisits = 400;

const routes = consoleRoutes.map(({ name }) => {
  const [method = '', path = ''] = name.split(' ');
  const pattern = new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`);
  return { name, method, path, pattern };
});

/** Returns the route of a path. One without parameters is preferred to one with them. */
export function routeOf(method: 'GET' | 'POST', path: string): RouteName | undefined {
  const [bare = ''] = path.split('?');
  const found = routes.filter((one) => one.method === method && one.pattern.test(bare || '/'));
  return (found.find((one) => !one.path.includes(':')) ?? found[0])?.name;
}

export const getRoutes: readonly RouteName[] = routes
  .filter(({ method }) => method === 'GET')
  .map(({ name }) => name);

/** The paths of the routes that have no parameter. */
export const plainPaths: readonly string[] = routes
  .filter(({ method, path }) => method === 'GET' && !path.includes(':'))
  .map(({ path }) => path);

/** Returns the paths of the console that a page names in its attributes. */
function pathsIn(html: string): string[] {
  const found = html.matchAll(/ (?:href|src|data-[\w-]+)="\/console([^"#]*)/g);
  return [...found].map(([, path = '']) => decodeEntities(path) || '/');
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

export function decodeEntities(html: string): string {
  return html.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name] ?? '');
}

/** Follows every path, from `first` on. @throws Error when the pages have no end. */
export async function crawl(ask: Ask, first: readonly string[]): Promise<Visit[]> {
  const visits: Visit[] = [];
  const paths = new Set(first);
  const queries = new Map<string, number>();
  for (const path of paths) {
    const [bare = '', query] = path.split('?');
    const before = queries.get(bare) ?? 0;
    if (query !== undefined && before === maxQueries) continue;
    if (query !== undefined) queries.set(bare, before + 1);
    if (visits.length === maxVisits) throw new Error(`more than ${maxVisits} pages, the last one is ${path}`);
    const answer = await ask(path);
    const visit = await readVisit(path, answer);
    visits.push(visit);
    const location = answer.headers.get('location');
    const next = location?.startsWith('/console') ? [location.slice('/console'.length) || '/'] : [];
    for (const one of [...pathsIn(visit.text), ...next]) paths.add(one);
  }
  return visits;
}

async function readVisit(path: string, answer: Response): Promise<Visit> {
  const type = answer.headers.get('content-type') ?? '';
  // A stream of events has no end.
  const isStream = type.startsWith('text/event-stream');
  if (isStream) await answer.body?.cancel();
  const text = isStream ? '' : await answer.text();
  return { path, route: routeOf('GET', path), status: answer.status, type, text };
}
