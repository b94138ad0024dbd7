import { reviewList } from '../../../contract/review.ts';
import { type ConsoleRoute, defineRoute, type PageContent } from '../define-route.ts';
import { showAmount, showSpan } from '../pages/format.ts';
import type { WorkDeps } from './deps.ts';
import { operate } from './operate.ts';
import { noPage, Older, pageRows } from './page-parts.tsx';

/** Returns the routes of the list of payments that people decide about. */
export function reviewRoutes({ operations, clock }: WorkDeps): ConsoleRoute[] {
  return [
    defineRoute('GET /reviews', async ({ c, person, show }) => {
      const after = c.req.query('after');
      const input = { limit: String(pageRows), ...(after === undefined ? {} : { after }) };
      const answer = await operate(operations, 'GET /reviews', { actor: person.name, id: '', input });
      return show(answer.ok ? reviewsPage(reviewList.parse(answer.value), clock.now()) : noPage);
    }),
    // After the password, a person who approves comes back here.
    defineRoute('GET /proposals', ({ c }) => c.redirect('/console/reviews', 303)),
  ];
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
