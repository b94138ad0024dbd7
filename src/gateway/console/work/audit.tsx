import { maskNumbers } from '../../../shared/mask-numbers.ts';
import { describeDetail } from '../../support/describe-detail.ts';
import { type ConsoleRoute, defineRoute, type PageContent } from '../define-route.ts';
import { DataTable } from '../pages/data-table.tsx';
import { plural, showTime } from '../pages/format.ts';
import type { ConsoleReader } from '../reader.ts';
import { noPage, Older, pageRows } from './page-parts.tsx';

/** Returns the route of what people did. */
export function auditRoute({ reader }: { reader: Pick<ConsoleReader, 'actions'> }): ConsoleRoute {
  return defineRoute('GET /audit', async ({ c, show }) => {
    const found = await reader.actions({}, { limit: pageRows, after: c.req.query('after') });
    return show(found === 'unknown_cursor' ? noPage : auditPage(found));
  });
}

type Actions = Exclude<Awaited<ReturnType<ConsoleReader['actions']>>, 'unknown_cursor'>;

function auditPage({ data, next }: Actions): PageContent {
  const body = (
    <>
      <DataTable
        label="Actions"
        caption={`${plural(data.length, 'action')}, newest first, each sealed in the chain of the ledger. Times are in UTC.`}
        columns={['Time', 'Person', 'Action', 'About', { name: 'Details', kind: 'detail' }]}
        rows={data.map((row) => [
          <time datetime={new Date(row.at).toISOString()}>{showTime(row.at)}</time>,
          row.actor,
          row.result === 'done' ? row.action : `${row.action}, ${row.result}`,
          row.subjectKind === 'collection' ? (
            <a href={`/console/payments/${row.subjectId}`}>{row.subjectId}</a>
          ) : (
            maskNumbers(row.subjectId)
          ),
          maskNumbers(describeDetail(JSON.parse(row.detail))),
        ])}
      />
      <Older path="/console/audit" next={next} />
    </>
  );
  return { title: 'Audit', body };
}
