import type { AccountRole } from '../../../contract/staff/account.ts';
import { maskNumbers } from '../../../shared/mask-numbers.ts';
import { maskedForm, parseMsisdn } from '../../../shared/msisdn.ts';
import type { SessionEnd } from '../../support/sessions/session-end.ts';
import type { SessionSummary } from '../../support/sessions/session-query.ts';
import type { UnopenedSessions } from '../../support/sessions/unopened-query.ts';
import type { PageContent } from '../define-route.ts';
import { queryOf } from '../list/filter.ts';
import { amountColumn, DataTable } from '../pages/data-table.tsx';
import { plural, showSpan, showTime } from '../pages/format.ts';
import { paymentPath } from '../pages/payment-table.tsx';
import { Tabs } from '../pages/tabs.tsx';
import { endWords, unopenedEnds } from './end-words.ts';

export type SessionsView = {
  found: UnopenedSessions;
  merchants: readonly string[];
  merchant: string | undefined;
  end: SessionEnd | undefined;
  role: AccountRole;
};

const maskedPhone = (text: string) => {
  const msisdn = parseMsisdn(text);
  return msisdn === undefined ? '' : maskedForm(msisdn);
};

/** Returns the page of dialogues in which no payment was confirmed. */
export function sessionsPage({ found, merchants, merchant, end, role }: SessionsView): PageContent {
  const { data, next, searched } = found;
  const body = (
    <>
      <Tabs group="lists" role={role} current="GET /sessions" />
      <form class="filters" method="get" action="/console/sessions">
        <label>
          Where it ended
          <select name="end">
            <option value="">anywhere</option>
            {unopenedEnds.map((one) => (
              <option value={one} selected={one === end}>
                {endWords[one]}
              </option>
            ))}
          </select>
        </label>
        <label>
          Merchant
          <select name="merchant">
            <option value="">any</option>
            {merchants.map((id) => (
              <option selected={id === merchant}>{id}</option>
            ))}
          </select>
        </label>
        <p>
          <button type="submit">Show</button>
        </p>
      </form>
      {data.length > 0 && <Sessions rows={data} />}
      <p class="footer">
        {plural(data.length, 'dialogue')} without a payment, of {searched} that were searched, newest first
        {next !== null && (
          <>
            {' '}
            <a href={`/console/sessions${queryOf({ end, merchant, before: String(next) })}`} rel="next">
              Older ones
            </a>
          </>
        )}
      </p>
    </>
  );
  return { title: 'Sessions', body };
}

function Sessions({ rows }: { rows: readonly SessionSummary[] }) {
  return (
    <DataTable
      label="Dialogues"
      columns={[
        ...['Started (UTC)', 'Phone', 'Merchant', 'Where it ended', amountColumn('Screens')],
        { name: 'Last screen', kind: 'text' },
      ]}
      rows={rows.map((row) => [
        <a href={`/console/sessions/${row.dialogueId}`}>{showTime(row.startedAt)}</a>,
        maskedPhone(row.dialler),
        row.merchantId,
        endWords[row.end],
        row.screens,
        maskNumbers(firstLine(row.lastScreen)),
      ])}
    />
  );
}

function firstLine(screen: string): string {
  const [first = ''] = screen.split('\n');
  return first;
}

/** A dialogue with its turns. */
export type SessionDetail = {
  summary: SessionSummary;
  turns: readonly { at: number; input: string | null; screen: string; ending: string | null }[];
};

/** Returns the page of one dialogue: its inputs and screens. */
export function sessionPage({ summary, turns }: SessionDetail): PageContent {
  const { collectionId, startedAt, lastAt } = summary;
  const body = (
    <>
      <p class="headline">{endWords[summary.end]}</p>
      <p>
        {maskedPhone(summary.dialler)} dialled {summary.merchantId} by {summary.channel} at{' '}
        {showTime(startedAt)} UTC, for {showSpan(lastAt - startedAt)}.
        {collectionId !== null && (
          <>
            {' '}
            <a href={paymentPath(collectionId)}>See the payment</a>
          </>
        )}
      </p>
      <section class="timeline" aria-label="Screens">
        <ol>
          {turns.map(({ at, input, screen, ending }) => (
            <li>
              <time datetime={new Date(at).toISOString()}>{showTime(at).slice(11)}</time>
              <div class="text">
                {input !== null && <p>types {maskNumbers(input)}</p>}
                {ending === null ? <div class="screen">{maskNumbers(screen)}</div> : <p>ended: {ending}</p>}
              </div>
            </li>
          ))}
        </ol>
      </section>
    </>
  );
  return { title: 'Session', body };
}
