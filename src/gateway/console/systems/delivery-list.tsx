import { maskNumbers } from '../../../shared/mask-numbers.ts';
import type { Person } from '../../access/actor.ts';
import { type DeliveryState, deliveryStates, type FoundDeliveries } from '../../staff/delivery-query.ts';
import { type ConsoleRoute, defineRoute, type PageContent } from '../define-route.ts';
import { queryOf } from '../list/filter.ts';
import { plural } from '../pages/format.ts';
import { noPage } from '../pages/paging.tsx';
import { Tabs } from '../pages/tabs.tsx';
import type { ConsoleReader } from '../reads.ts';
import { mayUse } from '../roles.ts';
import { scopeOf } from '../scope.ts';
import { DeliveryTable, stateWords } from './deliveries.tsx';
import { noEndpoint } from './parts.tsx';
import { ReplayForm } from './replay.tsx';

/** Deliveries on one page. */
const pageRows = 20;

export type DeliveryListDeps = { reader: ConsoleReader; livemode: 0 | 1 };

/** Returns the route of what was sent to all endpoints that a person may see. */
export function deliveryListRoute({ reader, livemode }: DeliveryListDeps): ConsoleRoute {
  return defineRoute('GET /deliveries', async ({ c, person, show }) => {
    const { endpoint, state: asked, after } = c.req.query();
    const state = deliveryStates.find((one) => one === asked);
    const request = { livemode, endpointId: endpoint || undefined, state, after, limit: pageRows };
    const found = await reader.by(person).deliveries(scopeOf(person), request);
    if (found === 'unknown_cursor') return show(noPage);
    if (found === 'unknown_endpoint') return show(noEndpoint);
    return show(deliveriesPage({ found, endpoint: endpoint || undefined, state, person }));
  });
}

type View = {
  found: FoundDeliveries;
  endpoint: string | undefined;
  state: DeliveryState | undefined;
  person: Person;
};

function deliveriesPage({ found, endpoint, state, person: { role } }: View): PageContent {
  const { data, endpoints, next, isCut } = found;
  const mayChange = mayUse(role, 'POST /endpoints/:id/resend');
  const isActive = (id: string) => endpoints.some((one) => one.id === id && !one.isDisabled);
  const body = (
    <>
      <Tabs group="systems" role={role} current="GET /deliveries" />
      <Filters endpoints={endpoints} endpoint={endpoint} state={state} />
      {data.length > 0 && (
        <DeliveryTable
          rows={data}
          addressOf={(id) => endpoints.find((one) => one.id === id)?.url}
          mayResend={(id) => mayChange && isActive(id)}
          mayRead={mayUse(role, 'GET /payments/:id')}
        />
      )}
      <p class="footer">
        {data.length === 0 ? 'No notification' : plural(data.length, 'notification')}
        {state === undefined ? '' : ` in the state “${stateWords[state][0]}”`}
        {next === null ? '; there is no older one.' : ', of the newest ones.'}
        {next !== null && (
          <>
            {' '}
            <a href={`/console/deliveries${queryOf({ endpoint, state, after: next })}`} rel="next">
              Older ones
            </a>
          </>
        )}
      </p>
      {isCut && (
        <p class="note">
          Only the first {endpoints.length} endpoints were searched. Open another one under Endpoints.
        </p>
      )}
      {mayChange && endpoint !== undefined && isActive(endpoint) && <ReplayForm id={endpoint} />}
    </>
  );
  return { title: 'Deliveries', body };
}

type FilterProps = Pick<View, 'endpoint' | 'state'> & Pick<FoundDeliveries, 'endpoints'>;

function Filters({ endpoints, endpoint, state }: FilterProps) {
  return (
    <form class="filters" method="get" action="/console/deliveries">
      <label>
        State
        <select name="state">
          <option value="">any</option>
          {deliveryStates.map((one) => (
            <option value={one} selected={one === state}>
              {stateWords[one][0]}
            </option>
          ))}
        </select>
      </label>
      <label>
        Endpoint
        <select name="endpoint">
          <option value="">all</option>
          {endpoints.map(({ id, url, merchantId }) => (
            <option value={id} selected={id === endpoint}>
              {merchantId}: {maskNumbers(url)}
            </option>
          ))}
        </select>
      </label>
      <p>
        <button type="submit">Show</button>
      </p>
    </form>
  );
}
