import { type ConsoleRoute, defineRoute, type PageContent } from '../define-route.ts';
import { pageRows } from '../pages/paging.tsx';
import type { ConsoleReader } from '../reads.ts';
import { unopenedEnds } from './end-words.ts';
import { sessionPage, sessionsPage } from './sessions-page.tsx';

export type SessionsDeps = {
  reader: ConsoleReader;
  merchantIds(): readonly string[];
};

const noSession: PageContent = {
  title: 'No such session',
  status: 404,
  body: <p>No dialogue has this id. Old ones are deleted.</p>,
};

/** Returns the routes of dialogues, with which people answer callers who paid nothing. */
export function sessionsRoutes({ reader, merchantIds }: SessionsDeps): ConsoleRoute[] {
  return [
    defineRoute('GET /sessions', async ({ c, person, show }) => {
      const query = c.req.query();
      const merchants = merchantIds();
      const merchant = merchants.find((id) => id === query.merchant);
      const end = unopenedEnds.find((one) => one === query.end);
      const { before = '' } = query;
      const page = { limit: pageRows, before: /^\d{1,15}$/.test(before) ? Number(before) : undefined };
      const found = await reader.by(person).sessions({ merchantId: merchant, end }, page);
      return show(sessionsPage({ found, merchants, merchant, end, role: person.role }));
    }),
    defineRoute('GET /sessions/:id', async ({ c, person, show }) => {
      const found = await reader.by(person).session(c.req.param('id') ?? '');
      return show(found ? sessionPage(found) : noSession);
    }),
  ];
}
