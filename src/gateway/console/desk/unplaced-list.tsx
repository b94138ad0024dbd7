import { maskNumbers } from '../../../shared/mask-numbers.ts';
import { maskedForm, parseMsisdn } from '../../../shared/msisdn.ts';
import type { StaffDeps } from '../../staff/operation.ts';
import type { PageContent } from '../define-route.ts';
import { showAmount, showSpan } from '../pages/format.ts';
import { Older } from '../work/page-parts.tsx';
import { unplacedWords } from './unplaced-words.ts';

type Unplaced = Exclude<Awaited<ReturnType<StaffDeps['unplacedLists']['list']>>, 'unknown_cursor'>;

/** Returns the page of money that no payment explains, the newest first. */
export function unplacedListPage({ data, total, next, suspendedMinor }: Unplaced, now: number): PageContent {
  const body = (
    <>
      <p>
        The service reports money that no payment explains. One person proposes what to do with it, and
        another one approves it.
      </p>
      {data.length === 0 ? (
        <p>There is none.</p>
      ) : (
        <section class="wide" aria-label="Unplaced money" tabindex={0}>
          <table>
            <caption>
              {data.length} of {total}, {showAmount(suspendedMinor)} in suspense, newest first
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
              </tr>
            </thead>
            <tbody>
              {data.map((row) => (
                <tr>
                  <td>
                    <a href={`/console/unplaced/${row.id}`} data-row>
                      {showSpan(Math.max(0, now - row.receivedAt))}
                    </a>
                  </td>
                  <td class="amount">{showAmount(row.amountMinor)}</td>
                  <td>{maskedPayer(row.payer)}</td>
                  <td>{maskNumbers(row.reference ?? '')}</td>
                  <td>{unplacedWords(row)}</td>
                  <td>{row.merchantId}</td>
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
