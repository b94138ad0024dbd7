import { maskNumbers } from '../../../shared/mask-numbers.ts';
import { describeDetail } from '../../support/describe-detail.ts';
import { type ConsoleRoute, defineRoute, type PageContent } from '../define-route.ts';
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
      <section class="wide" aria-label="Actions" tabindex={0}>
        <table>
          <caption>
            {plural(data.length, 'action')}, newest first, each sealed in the chain of the ledger. Times are
            in UTC.
          </caption>
          <thead>
            <tr>
              <th scope="col">Time</th>
              <th scope="col">Person</th>
              <th scope="col">Action</th>
              <th scope="col">About</th>
              <th scope="col">Details</th>
            </tr>
          </thead>
          <tbody>
            {data.map((row) => (
              <tr>
                <td>
                  <time datetime={new Date(row.at).toISOString()}>{showTime(row.at)}</time>
                </td>
                <td>{row.actor}</td>
                <td>{row.result === 'done' ? row.action : `${row.action}, ${row.result}`}</td>
                <td>
                  {row.subjectKind === 'collection' ? (
                    <a href={`/console/payments/${row.subjectId}`}>{row.subjectId}</a>
                  ) : (
                    maskNumbers(row.subjectId)
                  )}
                </td>
                <td class="detail">{maskNumbers(describeDetail(JSON.parse(row.detail)))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <Older path="/console/audit" next={next} />
    </>
  );
  return { title: 'Audit', body };
}
