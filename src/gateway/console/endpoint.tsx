import type { z } from 'zod';
import type { DeliveryView, EndpointView, endpointSecret } from '../../contract/staff/merchant-system.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { maskNumbers } from '../../shared/msisdn.ts';
import { can, type Person } from '../access/permissions.ts';
import type { Operation } from '../staff/operation.ts';
import { listDeliveries } from '../staff/operations/deliveries.ts';
import {
  changeEndpoint,
  disableEndpoint,
  enableEndpoint,
  removeEndpoint,
  rotateEndpoint,
  showEndpoint,
  testEndpoint,
} from '../staff/operations/endpoints.ts';
import type { FilterClock } from '../support/filter-text.ts';
import { defineConsoleRoute, defineForm, type PageContent } from './define-route.ts';
import { Deliveries } from './deliveries.tsx';
import { EndpointState, noEndpoint, refusedPage } from './endpoints.tsx';
import { Card, Details } from './parts/card.tsx';
import { AskButton, confirmationPage } from './parts/confirmation.tsx';
import { showIsoMoment } from './parts/format.ts';
import { Back, PostButton, SecretOnce, Submit, TextInput } from './parts/forms.tsx';
import { noPage } from './parts/list.tsx';
import { clockFor } from './payments-filter.ts';
import { ReplayForm } from './replay.tsx';

const pageRows = 20;

/** The actions of a person on an endpoint. The answer leads back to its page, or to the list. */
const actions = {
  test: testEndpoint,
  enable: enableEndpoint,
  disable: disableEndpoint,
  remove: removeEndpoint,
} as const;

type Action = keyof typeof actions;

const results: Readonly<Record<Action, string>> = {
  test: 'A test is on its way. It stands below when it was sent.',
  enable: 'Enabled. What happens from now on is sent.',
  disable: 'Disabled. Nothing is sent to it.',
  remove: 'Removed. Nothing is sent to it.',
};

/** The actions that are asked about before, with a verb and its consequence. */
const questions = {
  disable: ['Disable the endpoint', 'Notifications that wait are cancelled, and no other one is sent.'],
  remove: [
    'Remove the endpoint',
    'For good: notifications that wait are cancelled, and no other one is sent.',
  ],
  rotate: [
    'Replace the secret',
    'The system needs the new secret within 24 hours: until then both secrets sign.',
  ],
} as const;

type Question = keyof typeof questions;

const confirmed = { needs: 'endpoints.write', isConfirmed: true } as const;

/** The routes of one endpoint: what was sent to it, what people do with it, and the change of its address. */
export const endpointPageRoutes = [
  defineConsoleRoute('GET /endpoints/:id', { needs: 'endpoints.read' }, async (call, { operations }) => {
    const { id, person, query, show } = call;
    const shown = await showEndpoint(operations, { actor: person, id });
    if (!shown.ok) return show(noEndpoint);
    const input = { limit: String(pageRows), after: query.after };
    const answer = await listDeliveries(operations, { actor: person, id, input });
    if (!answer.ok) return show(noPage);
    const clock = clockFor(operations, person, shown.value.merchantId);
    return show(endpointPage(shown.value, answer.value, { person, clock }));
  }),
  ...(Object.keys(questions) as Question[]).map((action) =>
    defineConsoleRoute(
      `GET /endpoints/:id/${action}`,
      { needs: 'endpoints.write' },
      async ({ id, person, show }, { operations }) => {
        const shown = await showEndpoint(operations, { actor: person, id });
        return show(shown.ok ? askPage(shown.value, action) : noEndpoint);
      },
    ),
  ),
  ...(Object.keys(actions) as Action[]).map((action) =>
    defineForm(`POST /endpoints/:id/${action}`, {
      needs: 'endpoints.write',
      result: results[action],
      operate: actions[action] as Operation,
      done: (_, { id }) => `/console/endpoints${action === 'remove' ? '' : `/${id}`}`,
      refused: refusedPage,
    }),
  ),
  defineForm('POST /endpoints/:id/rotate', {
    ...confirmed,
    operate: rotateEndpoint,
    done: (value, _, { clock }) => rotatedPage(value, clock.now()),
    refused: refusedPage,
  }),
  defineConsoleRoute(
    'GET /endpoints/:id/address',
    confirmed,
    async ({ id, person, show }, { operations }) => {
      const shown = await showEndpoint(operations, { actor: person, id });
      return show(shown.ok ? addressPage(shown.value) : noEndpoint);
    },
  ),
  defineForm('POST /endpoints/:id/address', {
    ...{ ...confirmed, keeps: 'Change the address' },
    result: 'The address is changed. Waiting notifications go there with their next attempt.',
    operate: changeEndpoint,
    read: ({ url }) => ({ url: url?.trim() }),
    done: (_, { id }) => `/console/endpoints/${id}`,
    async refused(_, { id, person, fields }, { operations }) {
      const shown = await showEndpoint(operations, { actor: person, id });
      return shown.ok ? addressPage(shown.value, fields.url?.trim()) : noEndpoint;
    },
  }),
];

function askPage({ id, merchantId, url }: EndpointView, action: Question): PageContent {
  const [verb, consequence] = questions[action];
  const facts = (
    <>
      <p>
        {maskNumbers(url)} gets the notifications of {merchantId}.
      </p>
      <p>{consequence}</p>
    </>
  );
  return confirmationPage({
    ...{ title: `${verb}?`, facts, button: verb, back: `/console/endpoints/${id}` },
    action: `/console/endpoints/${id}/${action}`,
    ...(action === 'rotate' && { kind: 'primary' }),
  });
}

function rotatedPage({ endpoint, secret }: z.infer<typeof endpointSecret>, now: EpochMs): PageContent {
  const until = endpoint.previousSecretUntil;
  const body = (
    <>
      <SecretOnce secret={secret} what="New secret">
        {until !== null && <p>The one before signs too, until {showIsoMoment(until, now)}.</p>}
      </SecretOnce>
      <Back path={`/console/endpoints/${endpoint.id}`} text="The endpoint" />
    </>
  );
  return { title: 'The secret was replaced', body };
}

function endpointPage(
  endpoint: EndpointView,
  { data, next }: { data: readonly DeliveryView[]; next: string | null },
  { person, clock }: { person: Person; clock: FilterClock },
): PageContent {
  const { id, failingSince, previousSecretUntil } = endpoint;
  const moment = (at: string) => showIsoMoment(at, clock.now, clock.timeZone);
  const mayChange = can(person, 'endpoints.write');
  const isEnabled = endpoint.state !== 'disabled';
  const body = (
    <>
      <div class="stack halves">
        <Details
          lines={[
            ['Address', maskNumbers(endpoint.url)],
            ['State', <EndpointState endpoint={endpoint} />],
            failingSince !== null && ['Fails since', moment(failingSince)],
            ['Merchant', endpoint.merchantId],
            ['Phone numbers', endpoint.wholePayer ? 'whole' : 'masked'],
            ['Added', moment(endpoint.createdAt)],
            previousSecretUntil !== null && ['Previous secret', `signs until ${moment(previousSecretUntil)}`],
            ['Id', id],
          ]}
        />
        {mayChange && <EndpointActions endpoint={endpoint} />}
        {mayChange && isEnabled && <ReplayForm id={id} />}
      </div>
      <Deliveries
        title="Deliveries"
        path={`/console/endpoints/${id}`}
        person={person}
        clock={clock}
        rows={data}
        empty={<p>Nothing was sent yet. “Send a test” sends the first notification.</p>}
        mayResend={() => mayChange && isEnabled}
        next={next}
      />
      <Back path="/console/endpoints" text="All endpoints" />
    </>
  );
  return { title: 'Endpoint', body };
}

function EndpointActions({ endpoint: { id, state } }: { endpoint: EndpointView }) {
  const base = `/console/endpoints/${id}`;
  const isDisabled = state === 'disabled';
  return (
    <Card id="actions" title="Actions" kind="fill">
      {isDisabled ? (
        <PostButton
          action={`${base}/enable`}
          text="Enable"
          hint="What happened meanwhile is sent by a replay."
        />
      ) : (
        <PostButton action={`${base}/test`} text="Send a test" />
      )}
      <a class="button quiet" href={`${base}/address`}>
        Change the address
      </a>
      <AskButton path={`${base}/rotate`} text="Replace the secret" />
      {!isDisabled && <AskButton path={`${base}/disable`} text="Disable the endpoint" />}
      <AskButton path={`${base}/remove`} text="Remove the endpoint" />
    </Card>
  );
}

function addressPage(endpoint: EndpointView, typed?: string): PageContent {
  const { id, url } = endpoint;
  const masked = maskNumbers(url);
  const body = (
    <>
      <section class="card narrow" aria-label="Change the address">
        <form class="form" method="post" action={`/console/endpoints/${id}/address`}>
          <p>The address now: {masked}</p>
          <TextInput
            id="url"
            label="New address"
            type="url"
            required
            maxlength={500}
            value={maskNumbers(typed ?? (masked === url ? url : ''))}
            placeholder="https://shop.example/hooks"
          />
          <Submit>Change the address</Submit>
        </form>
      </section>
      <p class="muted small narrow">
        Notifications that wait go to the new address with their next attempt, and so does every later one.
        What the address before has accepted is not sent again: send it by a replay. The secret stays the
        same.
      </p>
      <Back path={`/console/endpoints/${id}`} text="The endpoint" />
    </>
  );
  return { title: 'Change the address', body };
}
