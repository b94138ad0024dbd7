import type { z } from 'zod';
import type { EndpointView, endpointSecret } from '../../../contract/staff/endpoint.ts';
import { maskNumbers } from '../../../shared/mask-numbers.ts';
import type { StaffDeps } from '../../staff/operation.ts';
import { listDeliveries } from '../../staff/operations/deliveries.ts';
import {
  disableEndpoint,
  enableEndpoint,
  removeEndpoint,
  rotateEndpoint,
  showEndpoint,
  testEndpoint,
} from '../../staff/operations/endpoints.ts';
import { type ConsoleRoute, defineRoute, type PageContent } from '../define-route.ts';
import { showIsoTime } from '../pages/format.ts';
import { noPage } from '../pages/paging.tsx';
import { mayUse } from '../roles.ts';
import { Deliveries, type DeliveriesProps } from './deliveries.tsx';
import { EndpointState } from './endpoint-list.tsx';
import { Back, noEndpoint, refusedPage, Secret } from './parts.tsx';
import { ReplayForm } from './replay.tsx';

/** Notifications on one page. */
const pageRows = 20;

/** What a person does with an endpoint; the answer leads back to its page, or to the list. */
const actions = {
  test: testEndpoint,
  enable: enableEndpoint,
  disable: disableEndpoint,
  remove: removeEndpoint,
} as const;

type Action = keyof typeof actions;

/** Returns the routes of one endpoint: what was sent to it, and what people do with it. */
export function endpointRoutes(operations: StaffDeps): ConsoleRoute[] {
  return [
    defineRoute('GET /endpoints/:id', async ({ c, person, show }) => {
      const id = c.req.param('id') ?? '';
      const shown = await showEndpoint(operations, { actor: person, id });
      if (!shown.ok) return show(noEndpoint);
      const after = c.req.query('after');
      const input = { limit: String(pageRows), ...(after === undefined ? {} : { after }) };
      const answer = await listDeliveries(operations, { actor: person, id, input });
      if (!answer.ok) return show(noPage);
      const { data, next } = answer.value;
      const mayChange = mayUse(person.role, 'POST /endpoints/:id/resend');
      const mayRead = mayUse(person.role, 'GET /payments/:id');
      return show(endpointPage({ endpoint: shown.value, deliveries: data, next, mayChange, mayRead }));
    }),
    ...(Object.keys(actions) as Action[]).map((action) =>
      defineRoute(`POST /endpoints/:id/${action}`, async ({ c, person, show }) => {
        const id = c.req.param('id') ?? '';
        const answer = await actions[action](operations, { actor: person, id });
        const path = `/console/endpoints${action === 'remove' ? '' : `/${id}`}`;
        return answer.ok ? c.redirect(path, 303) : show(refusedPage(id, answer));
      }),
    ),
    defineRoute('POST /endpoints/:id/rotate', async ({ c, person, show }) => {
      const id = c.req.param('id') ?? '';
      const answer = await rotateEndpoint(operations, { actor: person, id });
      return show(answer.ok ? rotatedPage(answer.value) : refusedPage(id, answer));
    }),
  ];
}

function rotatedPage({ endpoint, secret }: z.infer<typeof endpointSecret>): PageContent {
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
        <ActionForm
          path={`${base}/enable`}
          text="Enable"
          hint="What happened meanwhile is sent by a replay."
        />
      ) : (
        <ActionForm path={`${base}/test`} text="Send a test" />
      )}
      <p>
        <a href={`${base}/address`}>Change the address</a>
      </p>
      <ActionForm
        path={`${base}/rotate`}
        text="Replace the secret"
        hint="The present secret signs too, for 24 hours."
      />
      {!isDisabled && (
        <ActionForm path={`${base}/disable`} text="Disable" hint="Notifications that wait are cancelled." />
      )}
      <ActionForm
        path={`${base}/remove`}
        text="Remove"
        hint="For good. Notifications that wait are cancelled."
      />
    </section>
  );
}

function ActionForm({ path, text, hint }: { path: string; text: string; hint?: string }) {
  return (
    <form method="post" action={path}>
      <button type="submit">{text}</button>
      {hint !== undefined && <small>{hint}</small>}
    </form>
  );
}
