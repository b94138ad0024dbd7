import { maskedText } from '../../shared/msisdn.ts';
import { Icon } from '../../shared/pages/icons.tsx';
import { plural } from '../../shared/plural.ts';
import type { FilterClock } from '../support/filter-text.ts';
import { type SessionEnd, sessionEndWords } from '../support/session-end.ts';
import type { UnopenedSessions } from '../support/session-query.ts';
import { defineConsoleRoute, type PageContent } from './define-route.ts';
import { Empty, notFoundPage } from './parts/card.tsx';
import { maskedPhone, nameZone, showClock, showSecond, showSpan, showZoned } from './parts/format.ts';
import { ButtonLink } from './parts/forms.tsx';
import { List, pageRows, readBefore } from './parts/list.tsx';
import { paymentPath, RowLink } from './parts/table.tsx';
import { clockFor } from './payments-filter.ts';
import type { ConsoleReads } from './reads.ts';

const menu = { group: 'Work', link: 'Dialogues', icon: 'talk' } as const;

/** Returns the address of the page of the phone that dialled a dialogue. */
export function dialogueCallerPath(dialogueId: string): string {
  return `/console/dialogues/${encodeURIComponent(dialogueId)}/caller`;
}

/** The routes of dialogues, with which people answer callers who paid nothing. */
export const dialoguesRoutes = [
  defineConsoleRoute(
    'GET /dialogues',
    { needs: 'cases.read', menu },
    async ({ person, query, reads, show }, { operations }) => {
      const merchants = operations.merchantIds();
      const merchant = merchants.find((id) => id === query.merchant);
      const end = unopenedEnds.find((one) => one === query.end);
      const page = { limit: pageRows, before: readBefore(query.before) };
      const found = await reads.sessions({ merchantId: merchant, end }, page);
      const clock = clockFor(operations, person, merchant);
      const isLater = page.before !== undefined;
      return show(dialoguesPage(found, { merchants, clock, isLater, query: { merchant, end } }));
    },
  ),
  defineConsoleRoute(
    'GET /dialogues/:id',
    { needs: 'cases.read' },
    async ({ id, person, reads, show }, { operations }) => {
      const found = await reads.session(id);
      if (!found) return show(noDialogue);
      return show(dialoguePage(found, clockFor(operations, person, found.summary.merchantId)));
    },
  ),
];

const noDialogue = notFoundPage('No such dialogue', 'No dialogue has this id. Old ones are deleted.');

/** The ends of dialogues without a payment. */
const unopenedEnds = (Object.keys(sessionEndWords) as SessionEnd[]).filter((end) => end !== 'confirmed');

type ListRequest = {
  merchants: readonly string[];
  clock: FilterClock;
  isLater: boolean;
  query: { merchant: string | undefined; end: SessionEnd | undefined };
};

/** Returns the page of dialogues in which no payment was confirmed. */
function dialoguesPage(
  { data, next, searched }: UnopenedSessions,
  { merchants, clock, isLater, query }: ListRequest,
): PageContent {
  const ends = unopenedEnds.map((end) => [end, sessionEndWords[end]] as const);
  const body = (
    <List
      path="/console/dialogues"
      query={query}
      filters={{
        filters: [
          { name: 'end', label: 'Where it ended', any: 'Anywhere', choices: ends },
          { name: 'merchant', label: 'Merchant', any: 'Any', choices: merchants.map((id) => [id]) },
        ],
        canClear: query.end !== undefined || query.merchant !== undefined,
      }}
      label="Dialogues"
      columns={[
        [
          'Time',
          (row) => (
            <RowLink href={`/console/dialogues/${row.dialogueId}`}>
              {showClock(row.startedAt, clock.timeZone)}
            </RowLink>
          ),
          'rest',
        ],
        [
          'Phone',
          (row) => <a href={dialogueCallerPath(row.dialogueId)}>{maskedPhone(row.dialler)}</a>,
          'pick',
        ],
        ['Merchant', (row) => row.merchantId, 'rest'],
        ['Where it ended', (row) => sessionEndWords[row.end], 'first'],
        ['Screens', (row) => row.screens, 'amount'],
        ['Last screen', (row) => maskedText(firstLine(row.lastScreen)), 'text'],
      ]}
      rows={data}
      days={{ timeOf: ({ startedAt }) => startedAt, ...clock }}
      empty={
        <Empty icon="talk" title="No dialogue found.">
          <p>Every dialogue of these turns opened a payment. Look at older ones, or remove a filter.</p>
        </Empty>
      }
      count={`${plural(data.length, 'dialogue')} without a payment, of ${searched} that were searched, newest first, ${nameZone(clock.timeZone)}`}
      next={next}
      isLater={isLater}
      more={{ text: 'Older dialogues', cursor: 'before' }}
    />
  );
  return { title: 'Dialogues without a payment', body };
}

export function firstLine(screen: string): string {
  const [first = ''] = screen.split('\n');
  return first;
}

type SessionDetail = NonNullable<Awaited<ReturnType<ConsoleReads['session']>>>;

function dialoguePage({ summary, turns }: SessionDetail, { now, timeZone }: FilterClock): PageContent {
  const { collectionId, dialogueId, startedAt, lastAt } = summary;
  const screens = turns.filter(({ ending }) => ending === null);
  const notice = turns.find(({ ending }) => ending !== null)?.ending;
  const body = (
    <>
      <p class="lead">{sessionEndWords[summary.end]}.</p>
      <p>
        {maskedPhone(summary.dialler)} dialled {summary.merchantId} by {summary.channel},{' '}
        {showZoned(startedAt, now, timeZone)}, for {showSpan(lastAt - startedAt)}.
      </p>
      <div class="line">
        <ButtonLink href={dialogueCallerPath(dialogueId)}>
          <Icon name="call" />
          Show this caller
        </ButtonLink>
        {collectionId !== null && <ButtonLink href={paymentPath(collectionId)}>Show the payment</ButtonLink>}
      </div>
      <section class="card" aria-label="Screens">
        <ol class="chat">
          {screens.map(({ at, screen }, index) => {
            const input = screens[index + 1]?.input ?? null;
            return (
              <li>
                <small>
                  <time datetime={new Date(at).toISOString()}>{showSecond(at, timeZone).slice(11)}</time>
                </small>
                <pre>{maskedText(screen)}</pre>
                {input !== null && (
                  <p>
                    <span class="unseen">The caller entered </span>
                    {maskedText(input)}
                  </p>
                )}
                {index === screens.length - 1 && notice != null && (
                  <p class="over">The aggregator reports: {notice}</p>
                )}
              </li>
            );
          })}
        </ol>
      </section>
    </>
  );
  return { title: 'Dialogue', body };
}
