import type { EndpointView } from '../../../contract/staff/endpoint.ts';
import { maskNumbers } from '../../../shared/mask-numbers.ts';
import type { Person } from '../../access/actor.ts';
import { can } from '../../access/permissions.ts';
import type { StaffDeps } from '../../staff/operation.ts';
import { addEndpoint, listEndpoints } from '../../staff/operations/endpoints.ts';
import { type ConsoleRoute, defineRoute, type PageContent, statusOf } from '../define-route.ts';
import { Message } from '../page.tsx';
import { DataTable } from '../pages/data-table.tsx';
import { showIsoTime } from '../pages/format.ts';
import { Tabs } from '../pages/tabs.tsx';
import { mayUse } from '../roles.ts';
import { scopeOf } from '../scope.ts';
import { Back, MerchantField, Secret } from './parts.tsx';

/** Returns the routes of the addresses where systems of merchants are notified: the list, and a new one. */
export function endpointListRoutes(operations: StaffDeps): ConsoleRoute[] {
  return [
    defineRoute('GET /endpoints', async ({ person, show }) => {
      const found = await listEndpoints(operations, { actor: person });
      if (!found.ok) return show({ title: 'Endpoints', body: <p>{found.message}</p> });
      return show(endpointsPage(found.value.data, person));
    }),
    defineRoute('GET /endpoints/new', ({ person, show }) => show(newPage(operations, person))),
    defineRoute('POST /endpoints', async ({ person, fields, show }) => {
      const own = scopeOf(person).merchantId;
      const input = {
        ...{ merchantId: own ?? fields.merchant, url: fields.url },
        wholePayer: fields.whole === '1',
      };
      const answer = await addEndpoint(operations, { actor: person, input });
      if (!answer.ok)
        return show({
          ...newPage(operations, person, { message: answer.message, fields }),
          status: statusOf(answer),
        });
      const { endpoint, secret } = answer.value;
      return show({
        title: 'The endpoint was added',
        body: (
          <>
            <Secret secret={secret} what="Secret that signs its notifications" />
            <Back path={`/console/endpoints/${endpoint.id}`} text="The endpoint" />
          </>
        ),
      });
    }),
  ];
}

function endpointsPage(endpoints: readonly EndpointView[], { role }: Person): PageContent {
  const body = (
    <>
      <Tabs group="systems" role={role} current="GET /endpoints" />
      {endpoints.length === 0 ? (
        <p>No system of a merchant is notified.</p>
      ) : (
        <DataTable
          label="Endpoints"
          caption="Where systems of merchants are notified"
          columns={['Address', 'State', 'Since (UTC)', 'Merchant']}
          rows={endpoints.map((row) => [
            <a href={`/console/endpoints/${row.id}`}>{maskNumbers(row.url)}</a>,
            <EndpointState endpoint={row} />,
            showIsoTime(row.disabledAt ?? row.failingSince ?? row.createdAt),
            row.merchantId,
          ])}
        />
      )}
      {mayUse(role, 'GET /endpoints/new') && <Back path="/console/endpoints/new" text="Add an endpoint" />}
    </>
  );
  return { title: 'Endpoints', body };
}

const tones = { active: 'good', failing: 'review', disabled: 'bad' } as const;
const reasons: Readonly<Record<string, string>> = {
  gone: 'its system answered 410',
  failing: 'it failed for five days',
  person: 'a person disabled it',
};

/** The state of an endpoint in words, with the reason. */
export function EndpointState({ endpoint: { state, disabledReason } }: { endpoint: EndpointView }) {
  const reason = disabledReason === null ? '' : `: ${reasons[disabledReason] ?? disabledReason}`;
  return (
    <span class={`status ${tones[state]}`}>
      {state}
      {reason}
    </span>
  );
}

function newPage(
  operations: StaffDeps,
  person: Person,
  refused?: { message: string; fields: Readonly<Record<string, string>> },
): PageContent {
  const own = scopeOf(person).merchantId;
  const body = (
    <form method="post" action="/console/endpoints">
      <Message text={refused?.message} />
      <MerchantField operations={operations} own={own} value={refused?.fields.merchant} />
      <p>
        <label for="url">Address of the merchant's system</label>
        <br />
        <input
          id="url"
          name="url"
          type="url"
          required
          maxlength={500}
          value={refused?.fields.url ?? ''}
          placeholder="https://shop.example/hooks"
          autocomplete="off"
        />
      </p>
      {can(person, 'numbers.give') && (
        <p>
          <label>
            <input type="checkbox" name="whole" value="1" /> Notifications contain whole phone numbers
          </label>
        </p>
      )}
      <button type="submit">Add the endpoint</button>
    </form>
  );
  return { title: 'Add an endpoint', body };
}
