import { maskNumbers } from '../../../shared/mask-numbers.ts';
import type { ActionRow } from '../../support/action-query.ts';
import { describeDetail } from '../../support/describe-detail.ts';
import type { Page } from '../../support/page.ts';
import type { PageContent } from '../define-route.ts';
import { queryOf } from '../list/filter.ts';
import { DataTable } from '../pages/data-table.tsx';
import { plural, showTime } from '../pages/format.ts';
import { Older } from '../pages/paging.tsx';

/** A name of a person or of an action: a browser does not send a phone number, which would stand in the address. */
const nameField = {
  maxlength: 64,
  pattern: '[A-Za-z].*',
  title: 'a name begins with a letter',
  autocapitalize: 'none',
} as const;

/** The actions to list. A property that is not set selects every one. */
export type AuditFilter = { actor?: string; action?: string };

export type AuditView = Pick<Page<ActionRow>, 'data' | 'next'> & { filter: AuditFilter };

/** Returns the page of what people did, newest first. */
export function auditPage({ data, next, filter }: AuditView): PageContent {
  const query = { person: filter.actor, action: filter.action };
  const body = (
    <>
      <form class="filters" method="get" action="/console/audit">
        <label>
          Person
          <input type="text" name="person" value={filter.actor} {...nameField} />
        </label>
        <label>
          Action
          <input type="text" name="action" value={filter.action} {...nameField} />
        </label>
        <p>
          <button type="submit">Show</button>
        </p>
      </form>
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
      <Older path="/console/audit" next={next} query={query} />
      <p>
        <a href={`/console/audit.csv${queryOf(query)}`}>Export as CSV</a>
      </p>
    </>
  );
  return { title: 'Audit', body };
}
