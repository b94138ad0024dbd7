import type { EpochMs } from '../../shared/clock.ts';
import { plural } from '../../shared/plural.ts';
import { showShortReference } from '../../shared/short-reference.ts';
import { can, type Permission, type Person } from '../access/permissions.ts';
import { listNewDeciders } from '../staff/operations/accounts.ts';
import { defineConsoleRoute, type GatewayCondition, type PageContent } from './define-route.ts';
import { hasHome } from './frame.tsx';
import type { Mention, Needs, Waiting } from './home-query.ts';
import { showAmount, showSecond, showSpan } from './parts/format.ts';
import { paymentPath } from './parts/table.tsx';
import type { ConsoleReads } from './reads.ts';

/** The route of the start page. People of a merchant start with their payments. */
export const homeRoutes = [
  defineConsoleRoute(
    'GET /',
    { needs: 'account.own', menu: { group: 'Work', link: 'Overview', icon: 'home' } },
    async (call, context) => {
      const { c, person, reads, show } = call;
      if (!hasHome(person.role)) return c.redirect('/console/payments', 303);
      const { operations, condition } = context;
      const { livemode } = operations;
      const now = context.clock.now();
      const needs = await reads.needs({ name: person.name, livemode, now });
      const days = can(person, 'days.close')
        ? await reads.unclosedDays({ livemode, now, merchantIds: operations.merchantIds() })
        : null;
      const deciders = await listNewDeciders(operations, { actor: person });
      const cards = toCards(person, needs, { days, newDeciders: deciders.ok ? deciders.value.total : 0 });
      const mentions = await reads.mentions(person.accountId, now);
      return show(homePage(listAlerts(await condition()), cards, mentions, now));
    },
  ),
];

/** Null where no one closes days, and for people who do not. */
type UnclosedDays = Awaited<ReturnType<ConsoleReads['unclosedDays']>>;

/** Returns the work of a person: whatever the person may do. */
function toCards(
  person: Person,
  { reviews, proposals, unplaced, overdue, endpoints }: Needs,
  { days, newDeciders }: { days: UnclosedDays; newDeciders: number },
): NeedCard[] {
  const prices = { noun: 'payment', sum: 'is the sum of the prices' };
  const cards: (NeedCard | false)[] = [
    {
      ...{ title: 'To decide', waiting: reviews, ...prices },
      ...{ needs: 'cases.read', href: '/console/desk?kind=reviews' },
    },
    {
      ...{ title: 'Proposals to approve', noun: 'proposal', waiting: proposals, sum: 'is proposed about' },
      ...{ needs: 'proposals.decide', href: '/console/proposals' },
    },
    newDeciders > 0 && {
      ...{ title: 'New people who decide', noun: 'account' },
      waiting: { count: newDeciders, oldestAt: null, sumMinor: 0 },
      ...{ needs: 'proposals.decide', href: '/console/deciders' },
    },
    {
      ...{ title: 'Unplaced money', waiting: unplaced, noun: 'payment', sum: 'is in suspense' },
      ...{ needs: 'cases.read', href: '/console/unplaced' },
    },
    {
      ...{ title: 'Waiting too long', waiting: overdue, ...prices },
      ...{ needs: 'cases.read', href: '/console/desk?kind=overdue' },
    },
    days !== null && {
      ...{ title: 'Days not closed', noun: 'day', waiting: { ...days, sumMinor: 0 } },
      ...{ needs: 'days.read', href: '/console/days' },
    },
    {
      ...{ title: 'Notifications failing', noun: 'endpoint', waiting: endpoints },
      ...{ needs: 'endpoints.read', href: '/console/endpoints' },
    },
  ];
  return cards.filter((card) => card !== false).filter(({ needs }) => can(person, needs));
}

/** One kind of work that waits. */
type NeedCard = {
  title: string;
  /** The counted thing, in the singular. */
  noun: string;
  waiting: Waiting;
  /** The right of those who do it, and the page on which they do. */
  needs: Permission;
  href: string;
  /** The meaning of the sum; absent without one. */
  sum?: string;
};

/** Returns the page of what waits for people. `mentions`: notes of the last week that mention the person, newest first. */
function homePage(
  alerts: readonly string[],
  cards: readonly NeedCard[],
  mentions: readonly Mention[],
  now: EpochMs,
): PageContent {
  const isQuiet = mentions.length === 0 && cards.every(({ waiting }) => waiting.count === 0);
  const body = (
    <>
      {alerts.length > 0 && (
        <section class="alerts" aria-label="Condition of the gateway">
          {alerts.map((text) => (
            <p role="alert">{text}</p>
          ))}
        </section>
      )}
      {isQuiet && <p>Nothing waits for you.</p>}
      <ul class="stack halves">
        {cards.map((card) => (
          <Card card={card} now={now} />
        ))}
        <MentionCard mentions={mentions} />
      </ul>
    </>
  );
  return { title: 'Needs you', body };
}

/** Payments on the card; the others are on My account. */
const maxShown = 5;

/** The newest mention of each payment. */
function MentionCard({ mentions }: { mentions: readonly Mention[] }) {
  const newest = mentions.filter(
    ({ collectionId: id }, index) => mentions.findIndex((one) => one.collectionId === id) === index,
  );
  const left = newest.length - maxShown;
  return (
    <li class="card">
      <h2>
        <a href="/console/me#mentions" data-row>
          Notes that mention you
        </a>
      </h2>
      {mentions.length === 0 ? (
        <p class="muted small">None</p>
      ) : (
        <MentionList mentions={newest.slice(0, maxShown)} />
      )}
      {left > 0 && <p class="muted small">{left} more on My account.</p>}
    </li>
  );
}

function Card({ card: { title, noun, waiting, href, sum }, now }: { card: NeedCard; now: EpochMs }) {
  const { count, oldestAt, sumMinor } = waiting;
  return (
    <li class="card">
      <h2>
        <a href={href} data-row>
          {title}
        </a>
      </h2>
      {count === 0 ? (
        <p class="muted small">None</p>
      ) : (
        <>
          <p class="lead">{plural(count, noun)}</p>
          <p>
            {sum !== undefined && (
              <>
                <span class="nowrap">{showAmount(sumMinor)}</span> {sum}.{' '}
              </>
            )}
            {oldestAt !== null && `The oldest waits ${showSpan(Math.max(0, now - oldestAt))}.`}
          </p>
        </>
      )}
    </li>
  );
}

/** Merchants of one message. The others are counted. */
const maxNamed = 5;

/** Returns a message for each condition in which payments are not possible or not safe, the worst first. */
function listAlerts({ readiness, unavailable, keysRejected }: GatewayCondition): string[] {
  const { database, worker, draining, diskFull, recovering, rateLimited, ledgerUnsigned } = readiness;
  const found: [isTrue: boolean | undefined, text: string][] = [
    [!database, 'The database cannot be used. No payment is recorded.'],
    [diskFull, 'The disk is full. Nothing is recorded, and new payers are rejected until there is space.'],
    [
      keysRejected.length > 0,
      `The service rejects the key of ${getNames(keysRejected)}: no payment of it is possible. Renew the key.`,
    ],
    [
      unavailable.length > 0,
      `The service does not answer for ${getNames(unavailable)}: payments are not possible. Nothing is lost, and open payments are checked when it answers.`,
    ],
    [recovering, 'A recovery after a restore is running. New payers are rejected for a while.'],
    [!worker, 'The worker does not run: no payment advances. Check the log of the gateway.'],
    [draining, 'The gateway is stopping, and accepts no new payers.'],
    [rateLimited, 'The service limits the calls, and they are paused. Payments take longer.'],
    [ledgerUnsigned, 'New blocks of the ledger are not signed. Tell the people who run the gateway.'],
    [
      readiness.lastBackupAt === null,
      'There is no verified backup of the ledger. Tell the people who run the gateway.',
    ],
  ];
  return found.filter(([isTrue]) => isTrue).map(([, text]) => text);
}

function getNames(merchants: readonly string[]): string {
  const named = merchants.slice(0, maxNamed).join(', ');
  return merchants.length > maxNamed ? `${named} and ${merchants.length - maxNamed} more` : named;
}

/** The notes of the last week that mention the person. Nothing without one. */
export function Mentions({ mentions }: { mentions: readonly Mention[] }) {
  if (mentions.length === 0) return null;
  return (
    <section aria-labelledby="mentions">
      <h2 id="mentions">Notes that mention you</h2>
      <MentionList mentions={mentions} />
    </section>
  );
}

/** Each mention with its payment. */
function MentionList({ mentions }: { mentions: readonly Mention[] }) {
  return (
    <ul>
      {mentions.map(({ at, by, collectionId, shortReference }) => (
        <li>
          {showSecond(at)} UTC, {by}:{' '}
          <a href={paymentPath(collectionId)}>{showShortReference(shortReference)}</a>
        </li>
      ))}
    </ul>
  );
}
