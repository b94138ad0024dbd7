import type { DeliveryView, EndpointView } from '../../../contract/endpoint.ts';
import { maskNumbers } from '../../../shared/mask-numbers.ts';
import { showIsoTime } from '../pages/format.ts';
import { Older } from '../work/page-parts.tsx';

export type DeliveriesProps = {
  endpoint: EndpointView;
  deliveries: readonly DeliveryView[];
  next: string | null;
  /** Whether the person may send them again. */
  mayChange: boolean;
  /** Whether the person may read payments. */
  mayRead: boolean;
};

const stateWords = {
  waiting: ['waits', 'open'],
  delivered: ['delivered', 'good'],
  failed: ['failed', 'bad'],
  cancelled: ['cancelled', 'bad'],
} as const;

/** The deliveries of an endpoint, newest first, with the last attempts. */
export function Deliveries({ endpoint, deliveries, next, mayChange, mayRead }: DeliveriesProps) {
  const mayResend = mayChange && endpoint.state !== 'disabled';
  return (
    <>
      <h2>Deliveries</h2>
      {deliveries.length === 0 ? (
        <p>Nothing was sent yet.</p>
      ) : (
        <section class="wide" aria-label="Deliveries" tabindex={0}>
          <table>
            <caption>Newest first, with the last five attempts of each. Times are in UTC.</caption>
            <thead>
              <tr>
                <th scope="col">Written</th>
                <th scope="col">Event</th>
                <th scope="col">State</th>
                <th scope="col">Attempts: status, duration, answer</th>
                {mayResend && <th scope="col">Action</th>}
              </tr>
            </thead>
            <tbody>
              {deliveries.map((row) => (
                <DeliveryRow row={row} mayResend={mayResend} mayRead={mayRead} />
              ))}
            </tbody>
          </table>
        </section>
      )}
      <Older path={`/console/endpoints/${endpoint.id}`} next={next} />
    </>
  );
}

type RowProps = { row: DeliveryView; mayResend: boolean; mayRead: boolean };

function DeliveryRow({ row, mayResend, mayRead }: RowProps) {
  const [words, tone] = stateWords[row.state];
  return (
    <tr>
      <td>{showIsoTime(row.at)}</td>
      <td>
        {row.type}
        {row.paymentId !== null && (
          <>
            <br />
            {mayRead ? <a href={`/console/payments/${row.paymentId}`}>{row.paymentId}</a> : row.paymentId}
          </>
        )}
      </td>
      <td>
        <span class={`status ${tone}`}>{words}</span>
        {row.nextAt !== null && (
          <>
            <br />
            next {showIsoTime(row.nextAt)}
          </>
        )}
      </td>
      <td>{row.attempts.length === 0 ? 'none' : <Attempts attempts={row.attempts} />}</td>
      {mayResend && (
        <td>
          <form method="post" action={`/console/endpoints/${row.endpointId}/resend`}>
            <input type="hidden" name="event" value={row.eventId} />
            <button type="submit" aria-label={`Send again: ${row.type} of ${showIsoTime(row.at)}`}>
              Send again
            </button>
          </form>
        </td>
      )}
    </tr>
  );
}

/** Characters of an answer that the list shows. */
const shownAnswer = 160;

/** The attempts of a notification, newest first. Answers are texts of the merchant's system: numbers in them are masked. */
function Attempts({ attempts }: Pick<DeliveryView, 'attempts'>) {
  return (
    <ul class="plain">
      {attempts.map(({ at, durationMs, status, error, answer }) => (
        <li>
          {showIsoTime(at)}: <strong>{status ?? error ?? 'no answer'}</strong> in {durationMs} ms
          {answer !== null && <span class="note"> {maskNumbers(answer).slice(0, shownAnswer)}</span>}
        </li>
      ))}
    </ul>
  );
}
