import { maskNumbers } from '../../shared/msisdn.ts';
import { plural } from '../../shared/plural.ts';
import type { SessionEnd, UnopenedSessions } from '../support/session-query.ts';
import { defineConsoleRoute, type PageContent } from './define-route.ts';
import { notFoundPage } from './parts/card.tsx';
import { maskedPhone, showSecond, showSpan } from './parts/format.ts';
import { List, pageRows, readBefore } from './parts/list.tsx';
import { paymentPath } from './parts/table.tsx';
import type { ConsoleReads } from './reads.ts';

const menu = { group: 'Work', link: 'Dialogues', icon: 'talk' } as const;

/** The routes of dialogues, with which people answer callers who paid nothing. */
export const sessionsRoutes = [
  defineConsoleRoute(
    'GET /sessions',
    { needs: 'cases.read', menu },
    async ({ query, reads, show }, { operations }) => {
      const merchants = operations.merchantIds();
      const merchant = merchants.find((id) => id === query.merchant);
      const end = unopenedEnds.find((one) => one === query.end);
      const page = { limit: pageRows, before: readBefore(query.before) };
      const found = await reads.sessions({ merchantId: merchant, end }, page);
      return show(sessionsPage(found, merchants, { merchant, end }));
    },
  ),
  defineConsoleRoute('GET /sessions/:id', { needs: 'cases.read' }, async ({ id, reads, show }) => {
    const found = await reads.session(id);
    return show(found ? sessionPage(found) : noSession);
  }),
];

const noSession = notFoundPage('No such session', 'No dialogue has this id. Old ones are deleted.');

/** Where a dialogue ended, in words. */
const endWords: Readonly<Record<SessionEnd, string>> = {
  confirmed: 'the payment was confirmed',
  unanswered: 'no input on the last screen',
  cancelled: 'the caller chose No',
  rejected: 'the gateway opened no payment',
  invalid_inputs: 'too many invalid inputs',
  lost: 'a message of the gateway ended it',
  closed: 'the menu ended it',
  aggregator_completed: 'completed, says the aggregator',
  aggregator_cancelled: 'the caller hung up',
  aggregator_timeout: 'no input in time',
  aggregator_failed: 'the connection failed',
  aggregator_ended: 'the aggregator ended it',
};

/** The ends of dialogues without a payment. */
const unopenedEnds = (Object.keys(endWords) as SessionEnd[]).filter((end) => end !== 'confirmed');

/** Returns the page of dialogues in which no payment was confirmed. */
function sessionsPage(
  { data, next, searched }: UnopenedSessions,
  merchants: readonly string[],
  query: { merchant: string | undefined; end: SessionEnd | undefined },
): PageContent {
  const ends = unopenedEnds.map((end) => [end, endWords[end]] as const);
  const body = (
    <List
      path="/console/sessions"
      query={query}
      filters={{
        filters: [
          { name: 'end', label: 'Where it ended', any: 'anywhere', choices: ends },
          { name: 'merchant', label: 'Merchant', any: 'any', choices: merchants.map((id) => [id]) },
        ],
      }}
      label="Dialogues"
      columns={[
        [
          'Started (UTC)',
          (row) => <a href={`/console/sessions/${row.dialogueId}`}>{showSecond(row.startedAt)}</a>,
        ],
        ['Phone', (row) => maskedPhone(row.dialler)],
        ['Merchant', (row) => row.merchantId],
        ['Where it ended', (row) => endWords[row.end]],
        ['Screens', (row) => row.screens, 'amount'],
        ['Last screen', (row) => maskNumbers(firstLine(row.lastScreen)), 'text'],
      ]}
      rows={data}
      empty={null}
      count={`${plural(data.length, 'dialogue')} without a payment, of ${searched} that were searched, newest first`}
      next={next}
      more={{ cursor: 'before' }}
    />
  );
  return { title: 'Sessions', body };
}

function firstLine(screen: string): string {
  const [first = ''] = screen.split('\n');
  return first;
}

type SessionDetail = NonNullable<Awaited<ReturnType<ConsoleReads['session']>>>;

/** Returns the page of one dialogue: its inputs and screens. */
function sessionPage({ summary, turns }: SessionDetail): PageContent {
  const { collectionId, startedAt, lastAt } = summary;
  const body = (
    <>
      <p class="lead">{endWords[summary.end]}</p>
      <p>
        {maskedPhone(summary.dialler)} dialled {summary.merchantId} by {summary.channel} at{' '}
        {showSecond(startedAt)} UTC, for {showSpan(lastAt - startedAt)}.
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
              <time datetime={new Date(at).toISOString()}>{showSecond(at).slice(11)}</time>
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
