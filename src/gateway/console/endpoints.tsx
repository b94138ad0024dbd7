import type { EndpointView } from '../../contract/staff/merchant-system.ts';
import type { EpochMs } from '../../shared/clock.ts';
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
import { Chip, Empty, notFoundPage } from './parts/card.tsx';
import { showIsoMoment } from './parts/format.ts';
import { Back, ButtonLink, MerchantField, SecretOnce, Submit, TextInput } from './parts/forms.tsx';
import { RowLink, Table } from './parts/table.tsx';
import { getScope } from './scope.ts';

const write = { needs: 'endpoints.write', isConfirmed: true } as const;

/** The list of endpoints, and a new one. They come before the routes of one endpoint, because `new` is none. */
export const endpointsRoutes = [
  defineConsoleRoute(
    'GET /endpoints',
    { needs: 'endpoints.read', menu: { group: 'Systems', link: 'Endpoints', icon: 'plug' } },
    async ({ person, show }, { operations, clock }) => {
      const found = await listEndpoints(operations, { actor: person });
      if (found.ok) return show(endpointsPage(found.value.data, person, clock.now()));
      const body = (
        <Empty icon="plug" title="No system of a merchant is notified.">
          <p>{found.message}</p>
        </Empty>
      );
      return show({ title: 'Endpoints', body });
    },
  ),
  defineConsoleRoute('GET /endpoints/new', write, ({ person, show }, { operations }) =>
    show(newPage(operations, person)),
  ),
  defineForm('POST /endpoints', {
    ...{ ...write, keeps: 'Add the endpoint' },
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

function endpointsPage(endpoints: readonly EndpointView[], person: Person, now: EpochMs): PageContent {
  const body = (
    <>
      <div class="line between">
        <div>
          <h1>Endpoints</h1>
          <p class="muted">Where systems of merchants are notified.</p>
        </div>
        {can(person, 'endpoints.write') && (
          <ButtonLink href="/console/endpoints/new">Add an endpoint</ButtonLink>
        )}
      </div>
      <Table
        label="Endpoints"
        columns={[
          [
            'Address',
            (row) => <RowLink href={`/console/endpoints/${row.id}`}>{maskNumbers(row.url)}</RowLink>,
            'first',
          ],
          ['State', (row) => <EndpointState endpoint={row} />, 'plain'],
          ['Since', (row) => showIsoMoment(row.disabledAt ?? row.failingSince ?? row.createdAt, now)],
          ['Merchant', (row) => row.merchantId, 'rest'],
        ]}
        rows={endpoints}
        empty={
          <Empty icon="plug" title="No system of a merchant is notified.">
            <p>An endpoint is the address of such a system.</p>
          </Empty>
        }
      />
    </>
  );
  return { title: 'Endpoints', hasOwnHeading: true, body };
}

const tones = { active: 'good', failing: 'review', disabled: 'bad' } as const;
const reasons: Readonly<Record<string, string>> = {
  gone: 'its system answered 410',
  failing: 'it failed for five days',
  person: 'a person disabled it',
};

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
    <section class="card narrow" aria-label="Add an endpoint">
      <form class="form" method="post" action="/console/endpoints">
        <MerchantField operations={operations} own={own} value={fields.merchant} />
        <TextInput
          id="url"
          label="Address of the merchant's system"
          type="url"
          required
          maxlength={500}
          value={fields.url ?? ''}
          placeholder="https://shop.example/hooks"
        />
        {can(person, 'numbers.give') && (
          <label class="option">
            <input type="checkbox" name="whole" value="1" checked={fields.whole === '1'} /> Notifications
            contain whole phone numbers
          </label>
        )}
        <div class="line actions">
          <Submit>Add the endpoint</Submit>
          <a class="button quiet" href="/console/endpoints">
            Go back
          </a>
        </div>
      </form>
    </section>
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
