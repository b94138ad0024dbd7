import type { Child } from 'hono/jsx';
import { type MerchantScope, merchantScopes } from '../../../contract/merchant/merchant-api.ts';
import type { MerchantKeyView } from '../../../contract/staff/merchant-key.ts';
import type { Person } from '../../access/actor.ts';
import { can } from '../../access/permissions.ts';
import type { StaffDeps } from '../../staff/operation.ts';
import { createKey, listKeys, revokeKey } from '../../staff/operations/merchant-keys.ts';
import { type ConsoleRoute, defineRoute, type Fields, type PageContent, statusOf } from '../define-route.ts';
import { Message } from '../page.tsx';
import { DataTable } from '../pages/data-table.tsx';
import { showIsoTime } from '../pages/format.ts';
import { Tabs } from '../pages/tabs.tsx';
import { mayUse } from '../roles.ts';
import { scopeOf } from '../scope.ts';
import { Back, MerchantField, Refused, Secret } from './parts.tsx';

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

/** Returns the routes of the keys with which merchants' own systems use the API. */
export function keyRoutes(operations: StaffDeps): ConsoleRoute[] {
  return [
    defineRoute('GET /keys', async ({ person, show }) => {
      const found = await listKeys(operations, { actor: person });
      return show(keysPage(found.ok ? found.value.data : [], person));
    }),
    defineRoute('GET /keys/new', ({ person, show }) => show(newPage(operations, person))),
    defineRoute('POST /keys', async ({ person, fields, show }) => {
      const merchantId = scopeOf(person).merchantId ?? fields.merchant;
      const scopes = merchantScopes.filter((scope) => fields[scope] === '1');
      const answer = await createKey(operations, { actor: person, input: { merchantId, scopes } });
      if (!answer.ok)
        return show({
          ...newPage(operations, person, { message: answer.message, fields }),
          status: statusOf(answer),
        });
      const { secret } = answer.value;
      const body = (
        <>
          <Secret secret={secret} what="Key of the merchant API" />
          <Back path="/console/keys" text="All keys" />
        </>
      );
      return show({ title: 'The key was created', body });
    }),
    defineRoute('POST /keys/:id/revoke', async ({ c, person, show }) => {
      const id = c.req.param('id') ?? '';
      const answer = await revokeKey(operations, { actor: person, id });
      if (answer.ok) return c.redirect('/console/keys', 303);
      if (answer.code === 'not_found') return show(noKey);
      const body = <Refused text={answer.message} path="/console/keys" back="All keys" />;
      return show({ title: 'Nothing was changed', body, status: statusOf(answer) });
    }),
  ];
}

const noKey: PageContent = {
  title: 'No such key',
  status: 404,
  body: <Back path="/console/keys" text="All keys" />,
};

function keysPage(keys: readonly MerchantKeyView[], { role }: Person): PageContent {
  const body = (
    <>
      <Tabs group="systems" role={role} current="GET /keys" />
      <p>With a key, a merchant's own system uses the merchant API. The gateway has only digests of keys.</p>
      {keys.length === 0 ? (
        <p>There are no keys.</p>
      ) : (
        <DataTable
          label="Keys"
          caption="Keys of the merchant API. Times are in UTC; the last use is to the minute."
          columns={['Key', 'Merchant', 'Scopes', 'Created', 'Last used', 'State']}
          hasRowHeads
          rows={keys.map((key) => keyCells(key, mayUse(role, 'POST /keys/:id/revoke')))}
        />
      )}
      {mayUse(role, 'GET /keys/new') && <Back path="/console/keys/new" text="Create a key" />}
    </>
  );
  return { title: 'Keys', body };
}

function keyCells(view: MerchantKeyView, mayRevoke: boolean): Child[] {
  const { id, merchantId, scopes, createdAt, lastUsedAt } = view;
  return [
    ...[id, merchantId, scopes.join(', '), showIsoTime(createdAt)],
    lastUsedAt === null ? 'never' : showIsoTime(lastUsedAt),
    <KeyState view={view} mayRevoke={mayRevoke} />,
  ];
}

function KeyState({ view: { id, revokedAt }, mayRevoke }: { view: MerchantKeyView; mayRevoke: boolean }) {
  if (revokedAt !== null) return <span class="status bad">revoked {showIsoTime(revokedAt)}</span>;
  if (!mayRevoke) return <span class="status good">valid</span>;
  return (
    <form method="post" action={`/console/keys/${id}/revoke`}>
      <button type="submit" aria-label={`Revoke ${id}`}>
        Revoke
      </button>
    </form>
  );
}

function newPage(
  operations: StaffDeps,
  person: Person,
  refused?: { message: string; fields: Fields },
): PageContent {
  const fields = refused?.fields ?? {};
  const body = (
    <form method="post" action="/console/keys">
      <Message text={refused?.message} />
      <MerchantField operations={operations} own={scopeOf(person).merchantId} value={fields.merchant} />
      <fieldset class="stack">
        <legend>What the key may do</legend>
        {scopesFor(person).map((scope) => (
          <label>
            <input type="checkbox" name={scope} value="1" checked={fields[scope] === '1'} /> {scope}:{' '}
            {scopeWords[scope]}
          </label>
        ))}
      </fieldset>
      <button type="submit">Create the key</button>
    </form>
  );
  return { title: 'Create a key', body };
}
