import { maskNumbers } from '../../../shared/mask-numbers.ts';
import { showTime } from '../pages/format.ts';
import type { SentNotification } from './context-query.ts';

type NotificationsProps = {
  id: string;
  notifications: readonly SentNotification[];
  /** Whether the person may send them again. */
  mayResend: boolean;
};

const stateWords = {
  waiting: ['waits', 'open'],
  delivered: ['delivered', 'good'],
  failed: ['failed', 'bad'],
  cancelled: ['cancelled', 'bad'],
} as const;

/** What the merchant's own systems were told about a payment. Nothing without one. */
export function Notifications({ id, notifications, mayResend }: NotificationsProps) {
  // An empty part, so that the first notification appears while the page is open.
  if (notifications.length === 0) return <section id="notification-list" data-part hidden />;
  return (
    <section id="notification-list" data-part class="card" aria-labelledby="notifications">
      <h2 id="notifications">Notifications to the merchant</h2>
      <ul class="plain">
        {notifications.map((one) => (
          <li>
            <Notification notification={one} />
            {mayResend && (
              <form method="post" action={`/console/payments/${id}/resend`}>
                <input type="hidden" name="endpoint" value={one.endpointId} />
                <input type="hidden" name="event" value={one.eventId} />
                <button
                  type="submit"
                  class="second"
                  aria-label={`Send again: ${one.type} of ${showTime(one.at)}`}
                >
                  Send again
                </button>
              </form>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Notification({
  notification: { type, state, url, attempts, last, nextAt },
}: {
  notification: SentNotification;
}) {
  const [words, tone] = stateWords[state];
  const tries = `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
  const result = last
    ? `, the last one ${last.status ?? last.error ?? 'no answer'} in ${last.durationMs} ms`
    : '';
  return (
    <>
      {type} <span class={`status ${tone}`}>{words}</span>
      <br />
      <small>
        {maskNumbers(url)}: {tries}
        {result}
        {nextAt !== null && `, next ${showTime(nextAt).slice(11)} UTC`}
      </small>
    </>
  );
}
