import { showShortReference } from '../../../shared/short-reference.ts';
import { showTime } from '../pages/format.ts';
import { paymentPath } from '../pages/payment-table.tsx';
import type { Mention } from './mention-query.ts';

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
export function MentionList({ mentions }: { mentions: readonly Mention[] }) {
  return (
    <ul class="plain">
      {mentions.map(({ at, by, collectionId, shortReference }) => (
        <li>
          {showTime(at)} UTC, {by}:{' '}
          <a href={paymentPath(collectionId)}>{showShortReference(shortReference)}</a>
        </li>
      ))}
    </ul>
  );
}
