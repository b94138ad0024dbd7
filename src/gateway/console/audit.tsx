import type { EpochMs } from '../../shared/clock.ts';
import { maskNumbers } from '../../shared/msisdn.ts';
import { plural } from '../../shared/plural.ts';
import type { ActionRow } from '../support/action-query.ts';
import type { Page } from '../support/page.ts';
import { defineConsoleRoute, type PageContent } from './define-route.ts';
import { Empty } from './parts/card.tsx';
import { fileHead } from './parts/export-stream.ts';
import { exportRoute } from './parts/exports.tsx';
import { showClock, showSecond, toQuery } from './parts/format.ts';
import { type Filter, List, noPage, pageRows } from './parts/list.tsx';
import { paymentPath } from './parts/table.tsx';
import { auditColumns, getDetail } from './reads.ts';

/** The actions to list. A property that is not set selects every one. */
type AuditFilter = { actor?: string; action?: string };

export const auditRoutes = [
  defineConsoleRoute(
    'GET /audit',
    { needs: 'audit.read', menu: { group: 'Systems', link: 'Audit', icon: 'book' } },
    async ({ query: { after, ...texts }, reads, show }, { clock }) => {
      const filter = getFilter(texts);
      const found = await reads.actions(filter, { limit: pageRows, after });
      return show(
        found === 'unknown_cursor'
          ? noPage
          : auditPage({ ...found, isLater: after !== undefined }, filter, clock.now()),
      );
    },
  ),
  exportRoute('GET /audit.csv', 'audit.read', ({ query, reads }) => {
    const filter = getFilter(query);
    return {
      ...{ name: 'audit', filter, isMasked: true },
      open: async () => ({
        head: fileHead(auditColumns),
        notesOf: (rows, isCut) =>
          isCut
            ? [`cut after the newest ${rows} actions: dialtill ledger audit selects those of some days`]
            : [],
        read: (page) => reads.auditPart(filter, page),
      }),
    };
  }),
];

/** Reads the filters of the address; an empty field selects every action. */
function getFilter({ person, action }: Record<string, string>): AuditFilter {
  const [actor, name] = [person?.trim(), action?.trim().toLowerCase().replaceAll(' ', '_')];
  return { ...(actor && { actor }), ...(name && { action: name }) };
}

/** A name of a person or of an action: a browser does not send a phone number, which would stand in the address. */
const nameField = {
  pattern: '[A-Za-z].*',
  title: 'a name begins with a letter',
  autocapitalize: 'none',
} as const;

const filters: readonly Filter[] = [
  { name: 'person', label: 'Person', ...nameField },
  { name: 'action', label: 'Action', ...nameField },
];

/** Returns an action in words. */
const nameAction = (action: string) => action.replaceAll('_', ' ');

function auditPage(
  { data, next, isLater }: Pick<Page<ActionRow>, 'data' | 'next'> & { isLater: boolean },
  filter: AuditFilter,
  now: EpochMs,
): PageContent {
  const query = { person: filter.actor, action: filter.action };
  const body = (
    <List
      path="/console/audit"
      query={query}
      filters={{ filters }}
      label="Actions"
      caption={`${plural(data.length, 'action')}, newest first, each sealed in the chain of the ledger.`}
      days={{ timeOf: ({ at }) => at, now }}
      columns={[
        [
          'Time',
          ({ at }) => (
            <time datetime={new Date(at).toISOString()} title={showSecond(at)}>
              {showClock(at)}
            </time>
          ),
          'rest',
        ],
        ['Person', ({ actor }) => <b>{actor}</b>, 'first'],
        [
          'Action',
          ({ action, result }) =>
            result === 'done' ? nameAction(action) : `${nameAction(action)}, ${result}`,
          'plain',
        ],
        [
          'About',
          ({ subjectKind, subjectId }) =>
            subjectKind === 'collection' ? (
              <a href={paymentPath(subjectId)}>{subjectId}</a>
            ) : (
              maskNumbers(subjectId)
            ),
          'text',
        ],
        ['Details', getDetail, 'detail'],
      ]}
      rows={data}
      empty={<NoActions filter={filter} />}
      next={next}
      isLater={isLater}
      exports={{ masked: `/console/audit.csv${toQuery(query)}` }}
    />
  );
  return { title: 'Audit', body };
}

/** A list without an action: what was searched, and the next step. */
function NoActions({ filter: { actor, action } }: { filter: AuditFilter }) {
  const searched = [
    ...(actor === undefined ? [] : [`of “${maskNumbers(actor)}”`]),
    ...(action === undefined ? [] : [`with the name “${maskNumbers(nameAction(action))}”`]),
  ];
  return (
    <Empty icon="search" title={searched.length === 0 ? 'No one has done anything yet.' : 'No action found.'}>
      {searched.length > 0 && (
        <p>
          No action {searched.join(' and ')}. Write the whole name, or{' '}
          <a href="/console/audit">show all actions</a>.
        </p>
      )}
    </Empty>
  );
}
