import { expect, test } from 'vitest';
import { z } from 'zod';
import { merchantScopes } from '../../../src/contract/merchant/merchant-api.ts';
import { accountRoles } from '../../../src/contract/staff/account.ts';
import {
  type Actor,
  can,
  type KeyHolder,
  type Permission,
  type Person,
  permissions,
  systemActor,
} from '../../../src/gateway/access/permissions.ts';
import { defineOperation } from '../../../src/gateway/staff/operation.ts';

const session: Person['session'] = {
  ...{ digest: '', id: 'ses_1', accountId: 'acc_1', kind: 'full' },
  ...{ createdAt: 0, seenAt: 0, confirmedAt: 0 },
};

const personWith = (role: Person['role'], more: Partial<Person> = {}): Person => ({
  ...{ kind: 'person', accountId: 'acc_1', name: 'ama', role, session },
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

test('an auditor reads, and changes nothing', () => {
  expect(ofActor(personWith('auditor'))).toEqual([
    ...['payments.read', 'cases.read', 'days.read', 'endpoints.read', 'keys.read', 'audit.read'],
    ...['account.own', 'alerts.own', 'commands.use'],
  ]);
});

test('people and keys of a merchant have rights at their own merchant only', () => {
  const merchant = personWith('merchant');
  expect(ofActor(merchant)).toEqual([
    ...['payments.read', 'days.read', 'endpoints.read', 'endpoints.write', 'keys.read', 'keys.write'],
    'account.own',
  ]);
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
});

test('an operation that merchants may call must say what it is about', () => {
  const define = (permission: Permission) =>
    defineOperation({
      ...{ route: 'POST /x', permission, input: z.unknown() },
      run: async (_: { clock: { now(): number } }) => ({ ok: true, value: {} }),
    });
  for (const permission of ['endpoints.write', 'payments.note'] as const)
    expect(() => define(permission)).toThrow('no subject');
  expect(define('days.close').route).toBe('POST /x');
});
