import { maskNumbers } from '../../../shared/mask-numbers.ts';
import { maskedForm, parseMsisdn } from '../../../shared/msisdn.ts';
import type { StaffDeps } from '../../staff/operation.ts';
import type { PageContent } from '../define-route.ts';
import { amountColumn, DataTable } from '../pages/data-table.tsx';
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
        <DataTable
          label="Unplaced money"
          caption={`${data.length} of ${total}, ${showAmount(suspendedMinor)} in suspense, newest first`}
          columns={['Waits', amountColumn('Amount'), 'Payer', 'Reference', 'Why', 'Merchant']}
          rows={data.map((row) => [
            <a href={`/console/unplaced/${row.id}`}>{showSpan(Math.max(0, now - row.receivedAt))}</a>,
            showAmount(row.amountMinor),
            maskedPayer(row.payer),
            maskNumbers(row.reference ?? ''),
            unplacedWords(row),
            row.merchantId,
          ])}
        />
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
