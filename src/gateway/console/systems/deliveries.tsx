import type { DeliveryView, EndpointView } from '../../../contract/staff/endpoint.ts';
import { maskNumbers } from '../../../shared/mask-numbers.ts';
import { DataTable } from '../pages/data-table.tsx';
import { showIsoTime } from '../pages/format.ts';
import { Older } from '../pages/paging.tsx';

export type DeliveriesProps = {
  endpoint: EndpointView;
  deliveries: readonly DeliveryView[];
  next: string | null;
  /** Whether the person may send them again. */
  mayChange: boolean;
  /** Whether the person may read payments. */
  mayRead: boolean;
};

export const stateWords = {
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
        <DeliveryTable rows={deliveries} mayResend={() => mayResend} mayRead={mayRead} />
      )}
      <Older path={`/console/endpoints/${endpoint.id}`} next={next} />
    </>
  );
}

type TableProps = {
  rows: readonly DeliveryView[];
  /** Returns the address of an endpoint, where the rows are of several ones. */
  addressOf?(endpointId: string): string | undefined;
  /** Whether the person may send notifications of the endpoint again. */
  mayResend(endpointId: string): boolean;
  mayRead: boolean;
};

/** Deliveries with their last attempts. */
export function DeliveryTable({ rows, addressOf, mayResend, mayRead }: TableProps) {
  const hasActions = rows.some(({ endpointId }) => mayResend(endpointId));
  return (
    <DataTable
      label="Deliveries"
      caption="Newest first, with the last five attempts of each. Times are in UTC."
      columns={[
        ...['Written', ...(addressOf ? ['Endpoint'] : []), 'Event', 'State'],
        'Attempts: status, duration, answer',
        ...(hasActions ? ['Action'] : []),
      ]}
      rows={rows.map((row) => [
        showIsoTime(row.at),
        ...(addressOf
          ? [
              <a href={`/console/endpoints/${row.endpointId}`}>
                {maskNumbers(addressOf(row.endpointId) ?? row.endpointId)}
              </a>,
            ]
          : []),
        <Event row={row} mayRead={mayRead} />,
        <State row={row} />,
        row.attempts.length === 0 ? 'none' : <Attempts attempts={row.attempts} />,
        ...(hasActions
          ? [mayResend(row.endpointId) && <Resend row={row} isOfList={addressOf !== undefined} />]
          : []),
      ])}
    />
  );
}

type RowProps = { row: DeliveryView };

/** The event, as a link to its payment for a person who may read it. */
function Event({ row: { type, paymentId }, mayRead }: RowProps & { mayRead: boolean }) {
  if (paymentId === null || !mayRead) return <>{type}</>;
  return (
    <a href={`/console/payments/${paymentId}`} aria-label={`${type}: the payment ${paymentId}`}>
      {type}
    </a>
  );
}

function State({ row: { state, nextAt } }: RowProps) {
  const [words, tone] = stateWords[state];
  return (
    <>
      <span class={`status ${tone}`}>{words}</span>
      {nextAt !== null && (
        <>
          <br />
          next {showIsoTime(nextAt)}
        </>
      )}
    </>
  );
}

function Resend({ row: { endpointId, eventId, type, at }, isOfList }: RowProps & { isOfList: boolean }) {
  return (
    <form method="post" action={`/console/endpoints/${endpointId}/resend`}>
      <input type="hidden" name="event" value={eventId} />
      {isOfList && <input type="hidden" name="list" value="1" />}
      <button type="submit" aria-label={`Send again: ${type} of ${showIsoTime(at)}`}>
        Send again
      </button>
    </form>
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
