import type { DeliveryView } from '../../contract/staff/merchant-system.ts';
import { maskNumbers } from '../../shared/msisdn.ts';
import { plural } from '../../shared/plural.ts';
import { can, type Person } from '../access/permissions.ts';
import { type DeliveryState, type FoundDeliveries, notificationStates } from '../staff/delivery-query.ts';
import type { FilterClock } from '../support/filter-text.ts';
import { defineConsoleRoute, type PageContent } from './define-route.ts';
import { nameAttempt } from './delivery-words.ts';
import { noEndpoint } from './endpoints.tsx';
import { Chip, Empty } from './parts/card.tsx';
import { nameZone, showIsoMoment, showSecond } from './parts/format.ts';
import { PostButton } from './parts/forms.tsx';
import { List, type ListProps, noPage } from './parts/list.tsx';
import { clockFor } from './payments-filter.ts';
import { ReplayForm } from './replay.tsx';
import { getScope } from './scope.ts';

const pageRows = 20;

const menu = { group: 'Systems', link: 'Deliveries', icon: 'send' } as const;

export const deliveriesRoutes = [
  defineConsoleRoute(
    'GET /deliveries',
    { needs: 'endpoints.read', menu },
    async ({ person, query: asked, reads, show }, { operations }) => {
      const { endpoint = '', after } = asked;
      const state = notificationStates.find((one) => one === asked.state);
      const query = { endpoint: endpoint || undefined, state };
      const request = {
        livemode: operations.livemode,
        endpointId: query.endpoint,
        state,
        after,
        limit: pageRows,
      };
      const found = await reads.deliveries(getScope(person), request);
      if (found === 'unknown_cursor') return show(noPage);
      if (found === 'unknown_endpoint') return show(noEndpoint);
      const chosen = found.endpoints.find(({ id }) => id === endpoint);
      const clock = clockFor(operations, person, chosen?.merchantId);
      return show(deliveriesPage(found, person, { ...query, clock, isLater: after !== undefined }));
    },
  ),
];

type DeliveryQuery = { endpoint: string | undefined; state: DeliveryState | undefined };

function deliveriesPage(
  { data, endpoints, next, isCut }: FoundDeliveries,
  person: Person,
  { clock, isLater, ...query }: DeliveryQuery & { clock: FilterClock; isLater: boolean },
): PageContent {
  const { endpoint, state } = query;
  const mayChange = can(person, 'endpoints.write');
  const isActive = (id: string) => endpoints.some((one) => one.id === id && !one.isDisabled);
  const states = notificationStates.map((one) => [one, stateWords[one][0]] as const);
  const named = endpoints.map(
    ({ id, url, merchantId }) => [id, `${merchantId}: ${maskNumbers(url)}`] as const,
  );
  const counted = plural(data.length, 'notification');
  const inState = state === undefined ? '' : ` in the state “${stateWords[state][0]}”`;
  const body = (
    <>
      <Deliveries
        path="/console/deliveries"
        query={query}
        filters={{
          filters: [
            { name: 'state', label: 'State', any: 'any', choices: states },
            { name: 'endpoint', label: 'Endpoint', any: 'all', choices: named },
          ],
        }}
        person={person}
        clock={clock}
        rows={data}
        empty={
          <Empty icon="send" title={`No notification${inState}.`}>
            <p>Every notification to an endpoint stands here, with its attempts.</p>
          </Empty>
        }
        addressOf={(id) => endpoints.find((one) => one.id === id)?.url}
        mayResend={(id) => mayChange && isActive(id)}
        count={
          data.length > 0 &&
          `${counted}${inState}${next === null ? '; there is no older one.' : ', of the newest ones.'}`
        }
        next={next}
        isLater={isLater}
      />
      {isCut && (
        <p class="muted small">
          Only the first {endpoints.length} endpoints were searched. Open another one under Endpoints.
        </p>
      )}
      {mayChange && endpoint !== undefined && isActive(endpoint) && <ReplayForm id={endpoint} />}
    </>
  );
  return { title: 'Deliveries', body };
}

const stateWords = {
  waiting: ['waits', 'open'],
  delivered: ['delivered', 'good'],
  failed: ['failed', 'bad'],
  cancelled: ['cancelled', 'bad'],
} as const;

export function DeliveryStatus({ state }: Pick<DeliveryView, 'state'>) {
  const [words, tone] = stateWords[state];
  return <Chip tone={tone}>{words}</Chip>;
}

type DeliveriesProps = Omit<ListProps<DeliveryView>, 'label' | 'caption' | 'columns'> & {
  person: Person;
  clock: FilterClock;
  /** Returns the address of an endpoint, where the rows are of several ones. */
  addressOf?(endpointId: string): string | undefined;
  /** True when the person may send notifications of the endpoint again. */
  mayResend(endpointId: string): boolean;
};

export function Deliveries({ person, clock, addressOf, mayResend, ...list }: DeliveriesProps) {
  const mayRead = can(person, 'payments.read');
  const isOfList = addressOf !== undefined;
  const { now, timeZone } = clock;
  return (
    <List
      {...list}
      label="Deliveries"
      caption={`Newest first, with the last five attempts of each. ${nameZone(timeZone)}.`}
      columns={[
        ['Written', ({ at }) => <b>{showIsoMoment(at, now, timeZone)}</b>, 'plain'],
        isOfList && [
          'Endpoint',
          ({ endpointId: id }) => <a href={`/console/endpoints/${id}`}>{maskNumbers(addressOf(id) ?? id)}</a>,
          'text',
        ],
        ['Event', (row) => <Event row={row} mayRead={mayRead} />, 'text'],
        ['State', (row) => <State row={row} timeZone={timeZone} />, 'first'],
        [
          'Attempts',
          ({ attempts, at }) =>
            attempts.length === 0 ? 'none' : <Attempts attempts={attempts} start={at} timeZone={timeZone} />,
          'text',
        ],
        list.rows.some(({ endpointId }) => mayResend(endpointId)) && [
          'Action',
          (row) => mayResend(row.endpointId) && <Resend row={row} {...{ isOfList, timeZone }} />,
          'links',
        ],
      ]}
    />
  );
}

type Zoned = Pick<FilterClock, 'timeZone'>;
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

/** Formats a time to the second, without the date when it is of the same day as another one. */
function showTimeAfter(time: string, start: string, { timeZone }: Zoned): string {
  const [text = '', begun = ''] = [time, start].map((one) => showSecond(Date.parse(one), timeZone));
  return text.slice(0, 10) === begun.slice(0, 10) ? text.slice(11) : text;
}

function State({ row: { state, nextAt, at }, ...zoned }: RowProps & Zoned) {
  return (
    <>
      <DeliveryStatus state={state} />
      {nextAt !== null && (
        <>
          <br />
          next {showTimeAfter(nextAt, at, zoned)}
        </>
      )}
    </>
  );
}

type ResendProps = RowProps & Zoned & { isOfList: boolean };

function Resend({ row: { endpointId, eventId, type, at }, isOfList, timeZone }: ResendProps) {
  return (
    <PostButton
      action={`/console/endpoints/${endpointId}/resend`}
      text="Send again"
      label={`Send again: ${type} of ${showSecond(Date.parse(at), timeZone)}`}
      fields={{ event: eventId, ...(isOfList && { list: '1' }) }}
    />
  );
}

/** Characters of an answer that the list shows. */
const shownAnswer = 160;

type AttemptsProps = Pick<DeliveryView, 'attempts'> & Zoned & { start: string };

/** The attempts of a notification, newest first. Answers are texts of the merchant's system: numbers in them are masked. */
function Attempts({ attempts, start, ...zoned }: AttemptsProps) {
  return (
    <ul class="small">
      {attempts.map(({ at, durationMs, status, error, answer }) => (
        <li>
          {showTimeAfter(at, start, zoned)}: <strong>{nameAttempt({ status, error })}</strong> in {durationMs}{' '}
          ms
          {answer !== null && <span class="muted"> {maskNumbers(answer).slice(0, shownAnswer)}</span>}
        </li>
      ))}
    </ul>
  );
}
