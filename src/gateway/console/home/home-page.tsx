import type { EpochMs } from '../../../shared/clock.ts';
import type { Mention } from '../access/mention-query.ts';
import { MentionList } from '../access/mentions.tsx';
import type { PageContent } from '../define-route.ts';
import { addressOf } from '../page.tsx';
import { plural, showAmount, showSpan } from '../pages/format.ts';
import type { RouteName } from '../roles.ts';
import type { Waiting } from './needs-query.ts';

/** One kind of work that waits. */
export type NeedCard = {
  title: string;
  /** What is counted, in the singular. */
  noun: string;
  waiting: Waiting;
  /** The page on which people do it, and its address when that is more than the route. */
  route: RouteName;
  href?: string;
  /** What the sum is; absent without one. */
  sum?: string;
};

export type HomeView = {
  alerts: readonly string[];
  cards: readonly NeedCard[];
  /** Notes of the last week that mention the person, newest first. */
  mentions: readonly Mention[];
  now: EpochMs;
};

/** Returns the page of what waits for people. */
export function homePage({ alerts, cards, mentions, now }: HomeView): PageContent {
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
      <ul class="columns plain">
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
        <p class="note">None</p>
      ) : (
        <MentionList mentions={newest.slice(0, maxShown)} />
      )}
      {left > 0 && <p class="note">{left} more on My account.</p>}
    </li>
  );
}

function Card({
  card: { title, noun, waiting, route, href = addressOf(route), sum },
  now,
}: {
  card: NeedCard;
  now: EpochMs;
}) {
  const { count, oldestAt, sumMinor } = waiting;
  return (
    <li class="card">
      <h2>
        <a href={href} data-row>
          {title}
        </a>
      </h2>
      {count === 0 ? (
        <p class="note">None</p>
      ) : (
        <>
          <p class="headline">{plural(count, noun)}</p>
          <p>
            {sum !== undefined && (
              <>
                <span class="sum">{showAmount(sumMinor)}</span> {sum}.{' '}
              </>
            )}
            {oldestAt !== null && `The oldest waits ${showSpan(Math.max(0, now - oldestAt))}.`}
          </p>
        </>
      )}
    </li>
  );
}
