import { endpointList } from '../../../contract/endpoint.ts';
import { reviewList } from '../../../contract/review.ts';
import type { Clock } from '../../../shared/clock.ts';
import { maskNumbers } from '../../../shared/mask-numbers.ts';
import { maskedForm, parseMsisdn } from '../../../shared/msisdn.ts';
import type { Store } from '../../../sqlite/store.ts';
import type { StaffDeps } from '../../staff/operation.ts';
import { listActions } from '../../support/action-query.ts';
import { type ConsoleRoute, defineRoute, type PageContent } from '../define-route.ts';
import { Message } from '../page.tsx';
import { showAmount, showSpan, showTime } from '../pages/format.ts';
import { mayUse } from '../roles.ts';
import { operate, statusOf } from './operate.ts';

export type WorkDeps = { operations: StaffDeps; store: Store; clock: Pick<Clock, 'now'> };

const pageRows = 50;

const noPage: PageContent = {
  title: 'No such page',
  status: 404,
  body: <p>The page before it no longer exists. Start with the first page.</p>,
};

/** Returns the routes of what waits for people, and of what they did. */
export function workRoutes({ operations, store, clock }: WorkDeps): ConsoleRoute[] {
  return [
    defineRoute('GET /reviews', async ({ c, person, show }) => {
      const after = c.req.query('after');
      const input = { limit: String(pageRows), ...(after === undefined ? {} : { after }) };
      const answer = await operate(operations, 'GET /reviews', { actor: person.name, id: '', input });
      return show(answer.ok ? reviewsPage(reviewList.parse(answer.value), clock.now()) : noPage);
    }),
    // After the password, a person who approves comes back here.
    defineRoute('GET /proposals', ({ c }) => c.redirect('/console/reviews', 303)),
    defineRoute('GET /unplaced', async ({ c, show }) => {
      const page = { limit: pageRows, after: c.req.query('after') };
      const filter = { state: 'open', livemode: operations.livemode } as const;
      const found = await operations.unplacedLists.list(filter, page);
      return show(found === 'unknown_cursor' ? noPage : unplacedPage(found, clock.now()));
    }),
    defineRoute('GET /endpoints', async ({ person, show }) => {
      const answer = await operate(operations, 'GET /endpoints', { actor: person.name, id: '', input: {} });
      if (!answer.ok) return show({ title: 'Endpoints', body: <p>{answer.message}</p> });
      return show(
        endpointsPage(endpointList.parse(answer.value), mayUse(person.role, 'POST /endpoints/:id/test')),
      );
    }),
    ...(['test', 'enable'] as const).map((action) =>
      defineRoute(`POST /endpoints/:id/${action}`, async ({ c, person, show }) => {
        const call = { actor: person.name, id: c.req.param('id') ?? '', input: {} };
        const answer = await operate(operations, `POST /endpoints/:id/${action}`, call);
        if (answer.ok) return c.redirect('/console/endpoints', 303);
        const body = <Message text={answer.message} />;
        return show({ title: 'Endpoints', body, status: statusOf(answer) });
      }),
    ),
    defineRoute('GET /audit', async ({ c, show }) => {
      const found = await listActions(store, {}, { limit: pageRows, after: c.req.query('after') });
      return show(found === 'unknown_cursor' ? noPage : auditPage(found));
    }),
  ];
}

function Older({ path, next }: { path: string; next: string | null }) {
  return next === null ? null : (
    <p>
      <a href={`${path}?${new URLSearchParams({ after: next })}`}>Older ones</a>
    </p>
  );
}

function reviewsPage({ data, total, next }: ReturnType<typeof reviewList.parse>, now: number): PageContent {
  const body = (
    <>
      {data.length === 0 ? (
        <p>No payment waits for a decision.</p>
      ) : (
        <section class="wide" aria-label="Payments to decide" tabindex={0}>
          <table>
            <caption>
              {data.length} of {total} payments, newest first
            </caption>
            <thead>
              <tr>
                <th scope="col">Waits</th>
                <th scope="col" class="amount">
                  Amount
                </th>
                <th scope="col">Why</th>
                <th scope="col">Merchant</th>
                <th scope="col">Proposal</th>
              </tr>
            </thead>
            <tbody>
              {data.map((row) => (
                <tr>
                  <td>
                    <a href={`/console/payments/${row.collectionId}`}>
                      {showSpan(now - Date.parse(row.openedAt))}
                    </a>
                  </td>
                  <td class="amount">{showAmount(row.amountMinor ?? row.priceMinor)}</td>
                  <td>{row.awaitsService ? `${row.review}: the service decides` : row.review}</td>
                  <td>{row.merchantId}</td>
                  <td>
                    {row.proposal ? (
                      <a href={`/console/proposals/${row.proposal.id}`}>
                        {row.proposal.outcome} by {row.proposal.proposedBy}
                      </a>
                    ) : (
                      'none'
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      <Older path="/console/reviews" next={next} />
    </>
  );
  return { title: 'To decide', body };
}

type Unplaced = Exclude<Awaited<ReturnType<StaffDeps['unplacedLists']['list']>>, 'unknown_cursor'>;

function unplacedPage({ data, total, next, suspendedMinor }: Unplaced, now: number): PageContent {
  const body = (
    <>
      <p>
        The service reports money that no payment explains. Two people decide about it with the commands:
        dialtill unplaced show, propose and approve.
      </p>
      {data.length === 0 ? (
        <p>There is none.</p>
      ) : (
        <section class="wide" aria-label="Unplaced money" tabindex={0}>
          <table>
            <caption>
              {data.length} of {total}, {showAmount(suspendedMinor)} in suspense
            </caption>
            <thead>
              <tr>
                <th scope="col">Waits</th>
                <th scope="col" class="amount">
                  Amount
                </th>
                <th scope="col">Payer</th>
                <th scope="col">Reference</th>
                <th scope="col">Why</th>
                <th scope="col">Merchant</th>
                <th scope="col">Id</th>
              </tr>
            </thead>
            <tbody>
              {data.map((row) => (
                <tr>
                  <td>{showSpan(now - row.receivedAt)}</td>
                  <td class="amount">{showAmount(row.amountMinor)}</td>
                  <td>{maskedPayer(row.payer)}</td>
                  <td>{maskNumbers(row.reference ?? '')}</td>
                  <td>{row.reason}</td>
                  <td>{row.merchantId}</td>
                  <td>{row.id}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      <Older path="/console/unplaced" next={next} />
    </>
  );
  return { title: 'Unplaced money', body };
}

function maskedPayer(payer: string | null): string {
  const msisdn = parseMsisdn(payer ?? '');
  return msisdn === undefined ? '' : maskedForm(msisdn);
}

function endpointsPage({ data }: ReturnType<typeof endpointList.parse>, mayChange: boolean): PageContent {
  const body =
    data.length === 0 ? (
      <p>No system of a merchant is notified.</p>
    ) : (
      <section class="wide" aria-label="Endpoints" tabindex={0}>
        <table>
          <caption>Where systems of merchants are notified</caption>
          <thead>
            <tr>
              <th scope="col">Merchant</th>
              <th scope="col">Address</th>
              <th scope="col">State</th>
              <th scope="col">Since</th>
              {mayChange && <th scope="col">Action</th>}
            </tr>
          </thead>
          <tbody>
            {data.map((row) => {
              const action = row.state === 'disabled' ? 'enable' : 'test';
              return (
                <tr>
                  <td>{row.merchantId}</td>
                  <td>{row.url}</td>
                  <td>{row.disabledReason === null ? row.state : `${row.state} (${row.disabledReason})`}</td>
                  <td>{row.disabledAt ?? row.failingSince ?? row.createdAt}</td>
                  {mayChange && (
                    <td>
                      <form method="post" action={`/console/endpoints/${row.id}/${action}`}>
                        <button type="submit">{action === 'enable' ? 'Enable' : 'Send a test'}</button>
                      </form>
                    </td>
                  )}
                </tr>
              );
            })}
          </tbody>
        </table>
      </section>
    );
  return { title: 'Endpoints', body };
}

type Actions = Exclude<Awaited<ReturnType<typeof listActions>>, 'unknown_cursor'>;

function auditPage({ data, total, next }: Actions): PageContent {
  const body = (
    <>
      <section class="wide" aria-label="Actions" tabindex={0}>
        <table>
          <caption>
            {data.length} of {total} actions, newest first, each sealed in the chain of the ledger. Times are
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
                <td>{showTime(row.at)}</td>
                <td>{row.actor}</td>
                <td>{row.result === 'done' ? row.action : `${row.action}, ${row.result}`}</td>
                <td>
                  {row.subjectKind === 'collection' ? (
                    <a href={`/console/payments/${row.subjectId}`}>{row.subjectId}</a>
                  ) : (
                    maskNumbers(row.subjectId)
                  )}
                </td>
                <td>{maskNumbers(row.detail)}</td>
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
