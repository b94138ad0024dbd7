import { maskedText } from '../../shared/msisdn.ts';
import { can, type Person } from '../access/permissions.ts';
import { isPrivateTerm } from '../support/filter-text.ts';
import {
  type ConsoleCall,
  type ConsoleContext,
  defineConsoleRoute,
  type PageContent,
} from './define-route.ts';
import { Empty } from './parts/card.tsx';
import { maskedPhone, showAmount, showNumber, showSpan, toQuery } from './parts/format.ts';
import { Message, PostButton, TextInput } from './parts/forms.tsx';
import { List, noPage, pageRows } from './parts/list.tsx';
import { RowLink } from './parts/table.tsx';
import { getScope } from './scope.ts';

const maxTerm = 200;

const privateTerm: PageContent = {
  title: 'Unplaced money',
  status: 422,
  body: (
    <Message text="The address has a number, which does not belong there. Enter it in the search box instead." />
  ),
};

/** Returns the name of a person who can take unplaced money; undefined for one who only reads. */
export function findTaker(person: Person): string | undefined {
  return can(person, 'payments.work') ? person.name : undefined;
}

export const unplacedRoutes = [
  defineConsoleRoute(
    'GET /unplaced',
    {
      needs: 'cases.read',
      menu: {
        group: 'Work',
        link: 'Unplaced money',
        icon: 'coins',
        counts: { work: 'unplaced', by: 'payments.work' },
      },
    },
    (call, context) => {
      const { q = '', after } = call.query;
      if (isPrivateTerm(q)) return call.show(privateTerm);
      return showList(context, call, { term: q.trim() || undefined, after });
    },
  ),
  // A number that was typed stands in no address.
  defineConsoleRoute('POST /unplaced/search', { needs: 'cases.read' }, (call, context) => {
    const term = (call.fields.q ?? '').trim().slice(0, maxTerm);
    if (!isPrivateTerm(term)) return call.c.redirect(`/console/unplaced${toQuery({ q: term })}`, 303);
    return showList(context, call, { term });
  }),
];

/** The term and the cursor of the page. Without a term, the list has the waiting money. */
type Asked = { term: string | undefined; after?: string | undefined };

/** Shows money that no payment explains, the newest first. */
async function showList(
  { operations: { livemode }, clock }: ConsoleContext,
  { person, reads, show }: ConsoleCall,
  { term, after }: Asked,
): Promise<Response> {
  const lastFour = getScope(person).lastFour ?? false;
  const now = clock.now();
  const taker = findTaker(person);
  const found = await reads.unplaced({ livemode, term, limit: pageRows, after, lastFour });
  if (found === 'unknown_cursor') return show(noPage);
  const { data, next, total, suspendedMinor, takenBy } = found;
  const isPaged = term === undefined || !isPrivateTerm(term);
  const counted = `${data.length} of ${total}, ${showAmount(suspendedMinor)} in suspense, newest first`;
  const body = (
    <>
      <p class="muted">
        The service reports money that no payment explains. One person proposes what to do with it, and
        another one approves it.
      </p>
      <Search term={term} />
      <List
        path="/console/unplaced"
        query={{ q: term }}
        label="Unplaced money"
        caption={term === undefined ? counted : `${counted}, for “${maskedText(term)}” in every state`}
        columns={[
          [
            'Waits',
            (row) => (
              <RowLink href={`/console/unplaced/${row.id}`}>
                {showSpan(Math.max(0, (row.closedAt ?? now) - row.receivedAt))}
              </RowLink>
            ),
            'first',
          ],
          ['GHS', ({ amountMinor }) => showNumber(amountMinor), 'sum'],
          ['Payer', ({ payer }) => maskedPhone(payer) || '–'],
          ['Reference', ({ reference }) => (reference === null ? '–' : maskedText(reference))],
          ['Why', unplacedWords, 'text'],
          ['Merchant', ({ merchantId }) => merchantId, 'rest'],
          term !== undefined && ['State', ({ state }) => state],
          [
            'Taken by',
            ({ id, state }) => (
              <Assignee
                path={state === 'open' ? `/console/unplaced/${id}/assign` : null}
                by={takenBy[id] ?? null}
                taker={taker}
              />
            ),
            'links',
          ],
        ]}
        rows={data}
        empty={<Nothing term={term} />}
        next={isPaged ? next : null}
        isLater={after !== undefined}
      />
      {!isPaged && next !== null && <p class="muted small">There are more. Search for more digits.</p>}
    </>
  );
  return show({ title: 'Unplaced money', body });
}

function Search({ term }: { term: string | undefined }) {
  return (
    <form class="filters line filter-line" method="post" action="/console/unplaced/search">
      <TextInput id="unplaced" name="q" label="Search unplaced money" type="search" maxlength={200} />
      <button type="submit">Find it</button>
      {term !== undefined && (
        <a class="button quiet" href="/console/unplaced">
          What waits
        </a>
      )}
    </form>
  );
}

function Nothing({ term }: { term: string | undefined }) {
  if (term === undefined)
    return (
      <Empty icon="paid" title="There is none.">
        <p>Money that no payment explains appears here.</p>
      </Empty>
    );
  return (
    <Empty icon="search" title={`Nothing found for “${maskedText(term)}”.`}>
      <p>
        Searched: the number of the payer or its last digits, references, amounts, ids, payment sessions and
        events, in every state.
      </p>
    </Empty>
  );
}

type TakenProps = {
  /** The path of the form; null for work that no one takes. */
  path: string | null;
  by: string | null;
  /** The name of the person who can take it; undefined for one who only reads. */
  taker: string | undefined;
};

/** The person who has a piece of work, or the button that takes it. */
export function Assignee({ path, by, taker }: TakenProps) {
  if (by !== null) return <>{by}</>;
  if (path === null || taker === undefined) return null;
  return <PostButton action={path} text="Take it" fields={{ to: taker, from: '' }} />;
}

const words: Readonly<Record<string, string>> = {
  unknown_session: 'No payment has its payment session.',
  no_session: 'The event names no payment session.',
  other_channels: 'It may belong to another channel of the merchant.',
  stated_channel: 'The event states another channel.',
  other_currency: 'It is in another currency. No amount is booked.',
  second_charge: 'The payer was charged a second time.',
  declared_foreign: 'People declared it as money of another channel.',
};

const notes: Readonly<Record<string, string>> = {
  amount_mismatch: 'A later event states another amount.',
  other_currency: 'A later event states another currency.',
  failure_reported: 'An event reports a failure of the same payment session.',
  refund_reported: 'An event reports a refund.',
};

/** Returns in words why no payment explains money, and what a later event contradicts. */
export function unplacedWords({ reason, note }: { reason: string; note: string | null }): string {
  return [words[reason] ?? reason, ...(note === null ? [] : [notes[note] ?? note])].join(' ');
}
