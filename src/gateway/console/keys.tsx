import { type MerchantScope, merchantScopes } from '../../contract/merchant/merchant-api.ts';
import type { MerchantKeyView } from '../../contract/staff/merchant-system.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { can, type Person } from '../access/permissions.ts';
import type { StaffDeps } from '../staff/operation.ts';
import { createMerchantKey, listMerchantKeys, revokeMerchantKey } from '../staff/operations/merchant-keys.ts';
import { defineConsoleRoute, defineForm, type FormInput, type PageContent } from './define-route.ts';
import { Chip, Empty, notFoundPage } from './parts/card.tsx';
import { AskButton, confirmationPage } from './parts/confirmation.tsx';
import { showIsoMoment } from './parts/format.ts';
import { Back, ButtonLink, MerchantField, SecretOnce, Submit } from './parts/forms.tsx';
import { Table } from './parts/table.tsx';
import { getScope } from './scope.ts';

/** Every scope, in the words of the form. */
const scopeWords: Readonly<Record<MerchantScope, string>> = {
  'payments:read': 'read payments, days and blocks',
  'payments:write': 'check payments, add notes, block numbers',
  'events:read': 'read events and timelines',
  'screens:read': 'read what payers saw and typed',
  'endpoints:write': 'manage endpoints, and send notifications again',
  'payers:read': 'whole phone numbers instead of masked ones',
};

/** Returns the scopes that a person may give to a key: people of a merchant see masked numbers only. */
function scopesFor(person: Person): readonly MerchantScope[] {
  return can(person, 'numbers.give')
    ? merchantScopes
    : merchantScopes.filter((scope) => scope !== 'payers:read');
}

const confirmed = { needs: 'keys.write', isConfirmed: true } as const;

export const keysRoutes = [
  defineConsoleRoute(
    'GET /keys',
    { needs: 'keys.read', menu: { group: 'Systems', link: 'Keys', icon: 'key' } },
    async ({ person, show }, { operations, clock }) => {
      const found = await listMerchantKeys(operations, { actor: person });
      return show(keysPage(found.ok ? found.value.data : [], person, clock.now()));
    },
  ),
  defineConsoleRoute('GET /keys/new', confirmed, ({ person, show }, { operations }) =>
    show(newPage(operations, person)),
  ),
  defineForm('POST /keys', {
    ...{ ...confirmed, keeps: 'Create the key' },
    operate: createMerchantKey,
    read: (fields, { person }) => ({
      merchantId: getScope(person).merchantId ?? fields.merchant,
      scopes: merchantScopes.filter((scope) => fields[scope] === '1'),
    }),
    done: ({ secret }) => ({
      title: 'The key was created',
      body: (
        <>
          <SecretOnce secret={secret} what="Key of the merchant API" />
          <Back path="/console/keys" text="All keys" />
        </>
      ),
    }),
    refused: (_, { person, fields }, { operations }) => newPage(operations, person, fields),
  }),
  defineConsoleRoute(
    'GET /keys/:id/revoke',
    { needs: 'keys.write' },
    async ({ id, person: actor, show }, { operations, clock }) => {
      const listed = await listMerchantKeys(operations, { actor });
      const key = listed.ok ? listed.value.data.find((one) => one.id === id) : undefined;
      return show(key === undefined || key.revokedAt !== null ? noKey : revokePage(key, clock.now()));
    },
  ),
  defineForm('POST /keys/:id/revoke', {
    needs: 'keys.write',
    result: 'Revoked. Requests with the key are refused from now on.',
    operate: revokeMerchantKey,
    done: () => '/console/keys',
    refused: ({ code }) =>
      code === 'not_found'
        ? noKey
        : {
            title: 'Nothing was changed',
            body: <Back path="/console/keys" text="All keys" />,
          },
  }),
];

const noKey = notFoundPage('No such key', <a href="/console/keys">All keys</a>);

function keysPage(keys: readonly MerchantKeyView[], person: Person, now: EpochMs): PageContent {
  const mayWrite = can(person, 'keys.write');
  const body = (
    <>
      <div class="line between">
        <div>
          <h1>Keys</h1>
          <p class="muted">
            With a key, a merchant's own system uses the merchant API. The gateway has only digests of keys.
          </p>
        </div>
        {mayWrite && <ButtonLink href="/console/keys/new">Create a key</ButtonLink>}
      </div>
      <Table
        label="Keys"
        columns={[
          ['Key', ({ id }) => id],
          ['Merchant', ({ merchantId }) => merchantId],
          ['Scopes', ({ scopes }) => scopes.join(', '), 'text'],
          ['Created', ({ createdAt }) => showIsoMoment(createdAt, now)],
          ['Last used', ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : showIsoMoment(lastUsedAt, now))],
          ['State', (key) => <KeyState view={key} mayRevoke={mayWrite} now={now} />, 'plain'],
        ]}
        hasRowHeads
        rows={keys}
        empty={
          <Empty icon="key" title="There are no keys.">
            <p>A merchant's system needs one to use the merchant API.</p>
          </Empty>
        }
      />
    </>
  );
  return { title: 'Keys', hasOwnHeading: true, body };
}

type KeyStateProps = { view: MerchantKeyView; mayRevoke: boolean; now: EpochMs };

function KeyState({ view: { id, revokedAt }, mayRevoke, now }: KeyStateProps) {
  if (revokedAt !== null) return <Chip tone="idle">revoked {showIsoMoment(revokedAt, now)}</Chip>;
  if (!mayRevoke) return <Chip tone="good">valid</Chip>;
  return <AskButton path={`/console/keys/${id}/revoke`} text="Revoke" label={`Revoke ${id}`} />;
}

function revokePage({ id, merchantId, scopes, lastUsedAt }: MerchantKeyView, now: EpochMs): PageContent {
  const facts = (
    <>
      <p>
        {id} of {merchantId} may use {scopes.join(', ')}. It was last used{' '}
        {lastUsedAt === null ? 'never' : showIsoMoment(lastUsedAt, now)}.
      </p>
      <p>
        The system that uses it is refused from then on. A key cannot be restored: create another one first.
      </p>
    </>
  );
  return confirmationPage({
    ...{ title: 'Revoke the key?', facts, button: 'Revoke the key', back: '/console/keys' },
    action: `/console/keys/${id}/revoke`,
  });
}

function newPage(operations: StaffDeps, person: Person, fields: FormInput = {}): PageContent {
  const body = (
    <section class="card narrow" aria-label="Create a key">
      <form class="form" method="post" action="/console/keys">
        <MerchantField operations={operations} own={getScope(person).merchantId} value={fields.merchant} />
        <fieldset class="field">
          <legend>What the key may do</legend>
          {scopesFor(person).map((scope) => (
            <label class="option">
              <input type="checkbox" name={scope} value="1" checked={fields[scope] === '1'} />
              <span>
                {scopeWords[scope]} <small>{scope}</small>
              </span>
            </label>
          ))}
        </fieldset>
        <div class="line actions">
          <Submit>Create the key</Submit>
          <a class="button quiet" href="/console/keys">
            Go back
          </a>
        </div>
      </form>
    </section>
  );
  return { title: 'Create a key', body };
}
