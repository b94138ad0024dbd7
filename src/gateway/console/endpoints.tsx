import type { EndpointView } from '../../contract/staff/endpoint.ts';
import { maskNumbers } from '../../shared/msisdn.ts';
import { can, type Person } from '../access/permissions.ts';
import type { StaffDeps, StaffFailureCode } from '../staff/operation.ts';
import { addEndpoint, listEndpoints } from '../staff/operations/endpoints.ts';
import {
  type ConsoleCall,
  defineConsoleRoute,
  defineForm,
  type FormInput,
  type PageContent,
} from './define-route.ts';
import { Chip, notFoundPage } from './parts/card.tsx';
import { showIsoTime } from './parts/format.ts';
import { Back, MerchantField, SecretOnce } from './parts/forms.tsx';
import { Table } from './parts/table.tsx';
import { getScope } from './scope.ts';

const write = { needs: 'endpoints.write', isConfirmed: true } as const;

/**
 * The routes of the addresses where systems of merchants are notified: the list, and a new one. They come before those of one endpoint,
 * because `new` is none.
 */
export const endpointsRoutes = [
  defineConsoleRoute(
    'GET /endpoints',
    { needs: 'endpoints.read', menu: { group: 'Systems', link: 'Endpoints', icon: 'plug' } },
    async ({ person, show }, { operations }) => {
      const found = await listEndpoints(operations, { actor: person });
      if (!found.ok) return show({ title: 'Endpoints', body: <p>{found.message}</p> });
      return show(endpointsPage(found.value.data, person));
    },
  ),
  defineConsoleRoute('GET /endpoints/new', write, ({ person, show }, { operations }) =>
    show(newPage(operations, person)),
  ),
  defineForm('POST /endpoints', {
    ...write,
    operate: addEndpoint,
    read: ({ merchant, url, whole }, { person }) => ({
      merchantId: getScope(person).merchantId ?? merchant,
      url,
      wholePayer: whole === '1',
    }),
    done: ({ endpoint, secret }) => ({
      title: 'The endpoint was added',
      body: (
        <>
          <SecretOnce secret={secret} what="Secret that signs its notifications" />
          <Back path={`/console/endpoints/${endpoint.id}`} text="The endpoint" />
        </>
      ),
    }),
    refused: (_, { person, fields }, { operations }) => newPage(operations, person, fields),
  }),
];

function endpointsPage(endpoints: readonly EndpointView[], person: Person): PageContent {
  const body = (
    <>
      <Table
        label="Endpoints"
        caption="Where systems of merchants are notified"
        columns={[
          ['Address', (row) => <a href={`/console/endpoints/${row.id}`}>{maskNumbers(row.url)}</a>],
          ['State', (row) => <EndpointState endpoint={row} />],
          ['Since (UTC)', (row) => showIsoTime(row.disabledAt ?? row.failingSince ?? row.createdAt)],
          ['Merchant', (row) => row.merchantId],
        ]}
        rows={endpoints}
        empty={<p>No system of a merchant is notified.</p>}
      />
      {can(person, 'endpoints.write') && <Back path="/console/endpoints/new" text="Add an endpoint" />}
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
    <Chip tone={tones[state]}>
      {state}
      {reason}
    </Chip>
  );
}

function newPage(operations: StaffDeps, person: Person, fields: FormInput = {}): PageContent {
  const own = getScope(person).merchantId;
  const body = (
    <form method="post" action="/console/endpoints">
      <MerchantField operations={operations} own={own} value={fields.merchant} />
      <p>
        <label for="url">Address of the merchant's system</label>
        <br />
        <input
          id="url"
          name="url"
          type="url"
          required
          maxlength={500}
          value={fields.url ?? ''}
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

/** The page of an endpoint that does not exist, and of one of another merchant. */
export const noEndpoint = notFoundPage('No such endpoint', <a href="/console/endpoints">All endpoints</a>);

/** The page with the reason why an endpoint was not changed. One of another merchant is not found. */
export function refusedPage(
  { code }: { code: StaffFailureCode },
  { id }: Pick<ConsoleCall, 'id'>,
): PageContent {
  if (code === 'not_found') return noEndpoint;
  const body = <Back path={`/console/endpoints/${id}`} text="The endpoint" />;
  return { title: 'Nothing was changed', body };
}
