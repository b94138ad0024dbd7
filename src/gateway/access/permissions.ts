import type { MerchantScope } from '../../contract/merchant/merchant-api.ts';
import { type AccountRole, accountRoles } from '../../contract/staff/account.ts';
import { type Actor, isWithin } from './actor.ts';

/** The holders of a permission. The role `merchant` and keys hold it for their own merchant only. */
type Holders = {
  roles: readonly AccountRole[];
  /** Keys of merchants' own systems with this scope have it, too. */
  scope?: MerchantScope;
  /** A user with the keys of the configuration has it, too. None of these permissions decides about money. */
  configuration?: true;
};

/** The roles that read the payments of all merchants. */
const readers: readonly AccountRole[] = ['agent', 'lead', 'finance', 'auditor'];
const workers: readonly AccountRole[] = ['agent', 'lead', 'finance'];
const overseers: readonly AccountRole[] = ['lead', 'finance', 'auditor', 'admin'];

/** Every permission with its holders: the only table of rights. docs/console.md lists them. */
export const permissions = {
  'payments.read': { roles: [...readers, 'merchant'], scope: 'payments:read' },
  'payments.check': { roles: workers, scope: 'payments:write' },
  'payments.note': { roles: workers, scope: 'payments:write' },
  /** To take payments to resolve, and to assign them to others. */
  'payments.work': { roles: workers },
  'payments.block': { roles: workers },
  'numbers.reveal': { roles: workers },
  'numbers.export': { roles: ['lead', 'finance'] },
  /** To let a system of a merchant get whole numbers. */
  'numbers.give': { roles: ['admin'], scope: 'payers:read', configuration: true },
  /** To read whole numbers without a reason. */
  'numbers.receive': { roles: [], scope: 'payers:read' },
  /** Dialogues, events, declined requests, reviews, unplaced payments, bookings. */
  'cases.read': { roles: readers },
  'proposals.make': { roles: workers },
  /** To decide about what another person proposes. */
  'proposals.decide': { roles: ['lead', 'finance'] },
  'blocks.write': { roles: workers, scope: 'payments:write' },
  'days.read': { roles: [...readers, 'merchant'], scope: 'payments:read' },
  'days.close': { roles: ['finance'] },
  'endpoints.read': { roles: [...overseers, 'merchant'], scope: 'endpoints:write', configuration: true },
  'endpoints.write': { roles: ['admin', 'merchant'], scope: 'endpoints:write', configuration: true },
  'keys.read': { roles: ['auditor', 'admin', 'merchant'], configuration: true },
  'keys.write': { roles: ['admin', 'merchant'], configuration: true },
  'accounts.manage': { roles: ['admin'], configuration: true },
  'configuration.reload': { roles: ['admin'], configuration: true },
  'audit.read': { roles: overseers },
  'account.own': { roles: accountRoles },
  /** To act with a token on the command line. A merchant's systems have keys. */
  'commands.use': { roles: [...readers, 'admin'] },
} as const satisfies Record<string, Holders>;

export type Permission = keyof typeof permissions;

/** Returns whether an actor has a permission, for a subject when one is given. No other code decides. */
export function can(actor: Actor, permission: Permission, subject?: { merchantId: string | null }): boolean {
  return hasPermission(actor, permissions[permission]) && (subject === undefined || isWithin(actor, subject));
}

function hasPermission(actor: Actor, { roles, scope, configuration }: Holders): boolean {
  switch (actor.kind) {
    case 'person':
      return actor.session.kind !== 'setup' && roles.includes(actor.role);
    case 'key':
      return scope !== undefined && actor.scopes.includes(scope);
    case 'configuration':
      return configuration === true;
    default:
      return false;
  }
}

/** Returns whether people with a role have a permission. */
export function roleHas(role: AccountRole, permission: Permission): boolean {
  const { roles }: Holders = permissions[permission];
  return roles.includes(role);
}

/** Returns whether a merchant's people or keys can have a permission, so that each use needs a subject. */
export function isForMerchants(permission: Permission): boolean {
  const { roles, scope }: Holders = permissions[permission];
  return roles.includes('merchant') || scope !== undefined;
}
