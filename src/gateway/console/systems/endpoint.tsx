import { deliveryList, type EndpointView, endpointSecret } from '../../../contract/endpoint.ts';
import { maskNumbers } from '../../../shared/mask-numbers.ts';
import type { StaffDeps } from '../../staff/operation.ts';
import { type ConsoleRoute, defineRoute, type PageContent } from '../define-route.ts';
import { showIsoTime } from '../pages/format.ts';
import { noPage } from '../pages/paging.tsx';
import { mayUse } from '../roles.ts';
import { operate } from '../work/operate.ts';
import { changeEndpoint, refusedPage } from './change-endpoint.tsx';
import { Deliveries, type DeliveriesProps } from './deliveries.tsx';
import { EndpointState } from './endpoint-list.tsx';
import { endpointOf } from './in-scope.ts';
import { Back, noEndpoint, Secret } from './parts.tsx';
import { ReplayForm } from './replay.tsx';

/** Notifications on one page. */
const pageRows = 20;

/** What a person does with an endpoint; the answer leads back to its page, or to the list. */
const actions = ['test', 'enable', 'disable', 'remove'] as const;

/** Returns the routes of one endpoint: what was sent to it, and what people do with it. */
export function endpointRoutes(operations: StaffDeps): ConsoleRoute[] {
  return [
    defineRoute('GET /endpoints/:id', async ({ c, person, show }) => {
      const id = c.req.param('id') ?? '';
      const endpoint = await endpointOf(operations, person, id);
      if (!endpoint) return show(noEndpoint);
      const after = c.req.query('after');
      const input = { limit: String(pageRows), ...(after === undefined ? {} : { after }) };
      const answer = await operate(operations, 'GET /endpoints/:id/deliveries', {
        ...{ actor: person.name, id, input },
      });
      if (!answer.ok) return show(noPage);
      const { data, next } = deliveryList.parse(answer.value);
      const mayChange = mayUse(person.role, 'POST /endpoints/:id/resend');
      const mayRead = mayUse(person.role, 'GET /payments/:id');
      return show(endpointPage({ endpoint, deliveries: data, next, mayChange, mayRead }));
    }),
    ...actions.map((action) =>
      defineRoute(`POST /endpoints/:id/${action}`, (call) =>
        changeEndpoint(operations, call, async ({ c, person, show }, id) => {
          const change = { actor: person.name, id, input: {} };
          const answer = await operate(operations, `POST /endpoints/:id/${action}`, change);
          const path = `/console/endpoints${action === 'remove' ? '' : `/${id}`}`;
          return answer.ok ? c.redirect(path, 303) : show(refusedPage(id, answer));
        }),
      ),
    ),
    defineRoute('POST /endpoints/:id/rotate', (call) =>
      changeEndpoint(operations, call, async ({ person, show }, id) => {
        const change = { actor: person.name, id, input: {} };
        const answer = await operate(operations, 'POST /endpoints/:id/rotate', change);
        return show(answer.ok ? rotatedPage(endpointSecret.parse(answer.value)) : refusedPage(id, answer));
      }),
    ),
  ];
}

function rotatedPage({ endpoint, secret }: ReturnType<typeof endpointSecret.parse>): PageContent {
  const until = endpoint.previousSecretUntil;
  const body = (
    <>
      <Secret secret={secret} what="New secret">
        {until !== null && <p>The one before signs too, until {showIsoTime(until)} UTC.</p>}
      </Secret>
      <Back path={`/console/endpoints/${endpoint.id}`} text="The endpoint" />
    </>
  );
  return { title: 'The secret was replaced', body };
}

function endpointPage({ endpoint, mayChange, ...view }: DeliveriesProps): PageContent {
  const { id } = endpoint;
  const lines = [
    ['Address', maskNumbers(endpoint.url)],
    ['State', <EndpointState endpoint={endpoint} />],
    ...(endpoint.failingSince === null ? [] : [['Fails since', `${showIsoTime(endpoint.failingSince)} UTC`]]),
    ['Merchant', endpoint.merchantId],
    ['Phone numbers', endpoint.wholePayer ? 'whole' : 'masked'],
    ['Added', `${showIsoTime(endpoint.createdAt)} UTC`],
    ...(endpoint.previousSecretUntil === null
      ? []
      : [['Previous secret', `signs until ${showIsoTime(endpoint.previousSecretUntil)} UTC`]]),
    ['Id', id],
  ] as const;
  const body = (
    <>
      <div class="columns">
        <section class="card" aria-labelledby="details">
          <h2 id="details">Details</h2>
          <dl>
            {lines.map(([name, value]) => (
              <>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </>
            ))}
          </dl>
        </section>
        {mayChange && <EndpointActions endpoint={endpoint} />}
        {mayChange && endpoint.state !== 'disabled' && <ReplayForm id={id} />}
      </div>
      <Deliveries {...{ endpoint, mayChange, ...view }} />
      <Back path="/console/endpoints" text="All endpoints" />
    </>
  );
  return { title: 'Endpoint', body };
}

function EndpointActions({ endpoint: { id, state } }: { endpoint: EndpointView }) {
  const base = `/console/endpoints/${id}`;
  const isDisabled = state === 'disabled';
  return (
    <section class="card" aria-labelledby="actions">
      <h2 id="actions">Actions</h2>
      {isDisabled ? (
        <Action path={`${base}/enable`} text="Enable" hint="What happened meanwhile is sent by a replay." />
      ) : (
        <Action path={`${base}/test`} text="Send a test" />
      )}
      <p>
        <a href={`${base}/address`}>Change the address</a>
      </p>
      <Action
        path={`${base}/rotate`}
        text="Replace the secret"
        hint="The present secret signs too, for 24 hours."
      />
      {!isDisabled && (
        <Action path={`${base}/disable`} text="Disable" hint="Notifications that wait are cancelled." />
      )}
      <Action path={`${base}/remove`} text="Remove" hint="For good. Notifications that wait are cancelled." />
    </section>
  );
}

function Action({ path, text, hint }: { path: string; text: string; hint?: string }) {
  return (
    <form method="post" action={path}>
      <button type="submit">{text}</button>
      {hint !== undefined && <small>{hint}</small>}
    </form>
  );
}
