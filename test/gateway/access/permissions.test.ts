import { expect, test } from 'vitest';
import { merchantScopes } from '../../../src/contract/merchant/merchant-api.ts';
import { type AccountRole, accountRoles } from '../../../src/contract/staff/account.ts';
import {
  type Actor,
  can,
  isForMerchants,
  type KeyHolder,
  type Permission,
  type Person,
  permissions,
  roleHas,
  systemActor,
} from '../../../src/gateway/access/permissions.ts';

const session: Person['session'] = {
  ...{ digest: '', id: 'ses_1', accountId: 'acc_1', kind: 'full' },
  ...{ createdAt: 0, seenAt: 0, confirmedAt: 0 },
};

const personWith = (role: Person['role'], more: Partial<Person> = {}): Person => ({
  ...{ kind: 'person', accountId: 'acc_1', name: 'ama', role, decidesFrom: null, session },
  merchantId: role === 'merchant' ? 'demo-shop' : null,
  ...more,
});
const keyWith = (...scopes: KeyHolder['scopes']): KeyHolder => ({
  ...{ kind: 'key', name: 'mk_1', merchantId: 'demo-shop', scopes },
});
const configuration: Actor = { kind: 'configuration', name: 'configuration', merchantId: null };

const all = Object.keys(permissions) as Permission[];
const ofActor = (actor: Actor) => all.filter((permission) => can(actor, permission));

test('who decides about money is a person of support staff, and nobody decides alone by another way', () => {
  expect(accountRoles.filter((role) => can(personWith(role), 'proposals.decide'))).toEqual([
    'lead',
    'finance',
  ]);
  expect(accountRoles.filter((role) => can(personWith(role), 'proposals.make'))).not.toContain('admin');
  for (const actor of [configuration, keyWith(...merchantScopes), systemActor('akua')])
    for (const permission of ['proposals.make', 'proposals.decide', 'days.close'] as const)
      expect(can(actor, permission), `${actor.kind} ${permission}`).toBe(false);
});

const work = 'payments.check payments.note payments.work payments.block numbers.reveal';
const own = 'account.own alerts.own commands.use';
const rights: Record<AccountRole, string> = {
  agent: `payments.read ${work} cases.read proposals.make blocks.write days.read ${own}`,
  lead: `payments.read ${work} numbers.export cases.read proposals.make proposals.decide blocks.write days.read endpoints.read audit.read ${own}`,
  finance: `payments.read ${work} numbers.export cases.read proposals.make proposals.decide blocks.write days.read days.close endpoints.read audit.read ${own}`,
  auditor: `payments.read cases.read days.read endpoints.read keys.read audit.read ${own}`,
  admin: `numbers.give endpoints.read endpoints.write keys.read keys.write accounts.manage configuration.reload audit.read ${own}`,
  merchant: 'payments.read days.read endpoints.read endpoints.write keys.read keys.write account.own',
};

test.each(accountRoles)('the role %s has these rights, and no others', (role) => {
  expect(ofActor(personWith(role)).join(' ')).toBe(rights[role]);
  expect(all.filter((permission) => roleHas(role, permission)).join(' ')).toBe(rights[role]);
});

test('the keys of the configuration manage accounts and systems, and see no payment', () => {
  expect(ofActor(configuration).join(' ')).toBe(
    'numbers.give endpoints.read endpoints.write keys.read keys.write accounts.manage configuration.reload',
  );
});

test('a caller names the subject of each right that a merchant can have', () => {
  expect(all.filter(isForMerchants).join(' ')).toBe(
    'payments.read payments.check payments.note numbers.give numbers.receive blocks.write days.read ' +
      'endpoints.read endpoints.write keys.read keys.write account.own',
  );
});

test('people and keys of a merchant have rights at their own merchant only', () => {
  const merchant = personWith('merchant');
  expect(can(personWith('agent'), 'payments.read', { merchantId: 'demo-shop' })).toBe(true);
  for (const actor of [merchant, keyWith('endpoints:write')]) {
    expect(can(actor, 'endpoints.write', { merchantId: 'demo-shop' })).toBe(true);
    expect(can(actor, 'endpoints.write', { merchantId: 'other-shop' })).toBe(false);
    expect(can(actor, 'endpoints.write', { merchantId: null })).toBe(false);
  }
  expect(() =>
    can(personWith('merchant', { merchantId: null }), 'payments.read', { merchantId: null }),
  ).toThrow('no merchant');
});

test('a key has what its scopes name', () => {
  expect(ofActor(keyWith('payments:write'))).toEqual(['payments.check', 'payments.note', 'blocks.write']);
  expect(ofActor(keyWith('payers:read'))).toEqual(['numbers.give', 'numbers.receive']);
  expect(ofActor(keyWith('screens:read'))).toEqual([]);
});

test('a person in the first use of an account, and an account without a person, have no right', () => {
  expect(ofActor(personWith('admin', { session: { ...session, kind: 'setup' } }))).toEqual([]);
  expect(ofActor(systemActor('ama'))).toEqual([]);
  expect(systemActor('ama')).toEqual({ kind: 'system', name: 'ama', merchantId: null });
});
