import { maskNumbers } from '../../../shared/mask-numbers.ts';
import { maskedForm, parseMsisdn } from '../../../shared/msisdn.ts';
import type { StaffDeps } from '../../staff/operation.ts';
import { type ConsoleRoute, defineRoute, type PageContent } from '../define-route.ts';
import { showAmount, showSpan } from '../pages/format.ts';
import type { WorkDeps } from './deps.ts';
import { noPage, Older, pageRows } from './page-parts.tsx';

/** Returns the routes of the money that no payment explains. */
export function unplacedRoutes({ operations, clock }: WorkDeps): ConsoleRoute[] {
  return [
    defineRoute('GET /unplaced', async ({ c, show }) => {
      const page = { limit: pageRows, after: c.req.query('after') };
      const filter = { state: 'open', livemode: operations.livemode } as const;
      const found = await operations.unplacedLists.list(filter, page);
      return show(found === 'unknown_cursor' ? noPage : unplacedPage(found, clock.now()));
    }),
  ];
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
