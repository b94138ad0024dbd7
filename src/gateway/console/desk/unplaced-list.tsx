import type { EpochMs } from '../../../shared/clock.ts';
import { maskNumbers } from '../../../shared/mask-numbers.ts';
import { maskedForm, parseMsisdn } from '../../../shared/msisdn.ts';
import type { PageContent } from '../define-route.ts';
import { isPrivateTerm } from '../list/private-term.ts';
import { amountColumn, DataTable } from '../pages/data-table.tsx';
import { showAmount, showSpan } from '../pages/format.ts';
import { Older } from '../pages/paging.tsx';
import type { ConsoleReads } from '../reads.ts';
import { Taken } from './taken.tsx';
import { unplacedWords } from './unplaced-words.ts';

type View = {
  found: Exclude<Awaited<ReturnType<ConsoleReads['unplaced']>>, 'unknown_cursor'>;
  /** What was searched; undefined for the list of what waits. */
  term: string | undefined;
  now: EpochMs;
  /** The name of the person who can take it; undefined for one who only reads. */
  taker: string | undefined;
};

/** Returns the page of money that no payment explains, the newest first. */
export function unplacedListPage(view: View): PageContent {
  const { found, term } = view;
  const { data, next } = found;
  const isPaged = term === undefined || !isPrivateTerm(term);
  const body = (
    <>
      <p>
        The service reports money that no payment explains. One person proposes what to do with it, and
        another one approves it.
      </p>
      <Search term={term} />
      {data.length === 0 ? <Nothing term={term} /> : <Rows {...view} />}
      {isPaged && <Older path="/console/unplaced" next={next} query={{ q: term }} />}
      {!isPaged && next !== null && <p class="note">There are more. Search for more digits.</p>}
    </>
  );
  return { title: 'Unplaced money', body };
}

function Search({ term }: Pick<View, 'term'>) {
  return (
    <form class="line" method="post" action="/console/unplaced/search">
      <label for="unplaced">Search unplaced money</label>
      <input id="unplaced" name="q" type="search" maxlength={200} autocomplete="off" />
      <button type="submit">Find it</button>{' '}
      {term !== undefined && <a href="/console/unplaced">What waits</a>}
    </form>
  );
}

function Nothing({ term }: Pick<View, 'term'>) {
  if (term === undefined) return <p>There is none.</p>;
  return (
    <p>
      Nothing found for “{maskNumbers(term)}”: as the number of the payer or its last digits, a reference, the
      amount, the id, the payment session and the event, in every state.
    </p>
  );
}

function Rows({ found: { data, total, suspendedMinor, takenBy }, term, now, taker }: View) {
  const counted = `${data.length} of ${total}, ${showAmount(suspendedMinor)} in suspense, newest first`;
  return (
    <DataTable
      label="Unplaced money"
      caption={term === undefined ? counted : `${counted}, for “${maskNumbers(term)}” in every state`}
      columns={[
        ...['Waits', amountColumn('Amount'), 'Payer', 'Reference', 'Why', 'Merchant'],
        ...(term === undefined ? [] : ['State']),
        'Taken by',
      ]}
      rows={data.map((row) => [
        <a href={`/console/unplaced/${row.id}`}>
          {showSpan(Math.max(0, (row.closedAt ?? now) - row.receivedAt))}
        </a>,
        showAmount(row.amountMinor),
        maskedPayer(row.payer),
        maskNumbers(row.reference ?? ''),
        unplacedWords(row),
        row.merchantId,
        ...(term === undefined ? [] : [row.state]),
        <Taken
          path={row.state === 'open' ? `/console/unplaced/${row.id}/assign` : null}
          by={takenBy[row.id] ?? null}
          taker={taker}
        />,
      ])}
    />
  );
}

function maskedPayer(payer: string | null): string {
  const msisdn = parseMsisdn(payer ?? '');
  return msisdn === undefined ? '' : maskedForm(msisdn);
}
