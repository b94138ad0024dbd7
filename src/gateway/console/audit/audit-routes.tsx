import { type ConsoleRoute, defineRoute } from '../define-route.ts';
import type { Exporter } from '../list/exporter.tsx';
import { noPage, pageRows } from '../pages/paging.tsx';
import type { ConsoleReader } from '../reads.ts';
import { type AuditFilter, auditPage } from './audit-page.tsx';
import { auditHead } from './audit-part.ts';

export type AuditDeps = { reader: ConsoleReader; exporter: Exporter };

/** Returns the routes of what people did: a list, and the same as a file. */
export function auditRoutes({ reader, exporter }: AuditDeps): ConsoleRoute[] {
  return [
    defineRoute('GET /audit', async ({ c, person, show }) => {
      const { after, ...query } = c.req.query();
      const filter = filterOf(query);
      const found = await reader.by(person).actions(filter, { limit: pageRows, after });
      return show(found === 'unknown_cursor' ? noPage : auditPage({ ...found, filter }));
    }),
    defineRoute('GET /audit.csv', async (call) => {
      const filter = filterOf(call.c.req.query());
      return exporter(call, {
        name: 'audit',
        filter,
        numbers: 'masked',
        open: async () => ({
          head: auditHead(),
          notesOf: (rows, isCut) =>
            isCut
              ? [`cut after the newest ${rows} actions: dialtill ledger audit selects those of some days`]
              : [],
          read: (page) => reader.by(call.person).auditPart(filter, page),
        }),
      });
    }),
  ];
}

/** Reads the filters of the address; an empty field selects every action. */
function filterOf({ person, action }: Record<string, string>): AuditFilter {
  const [actor, name] = [person?.trim(), action?.trim()];
  return { ...(actor && { actor }), ...(name && { action: name }) };
}
