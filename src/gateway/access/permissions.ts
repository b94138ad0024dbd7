import type { MerchantScope } from '../../contract/merchant/merchant-api.ts';
import { type AccountRole, accountRoles } from '../../contract/staff/account.ts';
import type { accountSession } from '../database/schema.ts';

/** A person who is signed in. */
export type Person = {
  kind: 'person';
  accountId: string;
  /** Recorded with each action of the person. */
  name: string;
  role: AccountRole;
  /** Only for the role `merchant`. */
  merchantId: string | null;
  /** From when the person decides about money, in milliseconds; null for who never did. */
  decidesFrom: number | null;
  /** The sign-in session. `confirmedAt` is when the password and a code were entered last, in milliseconds. */
  session: typeof accountSession.$inferSelect;
};

/** A merchant's own system, by its key. The name is the id of the key. */
export type KeyHolder = { kind: 'key'; name: string; merchantId: string; scopes: readonly MerchantScope[] };

/** A user who has the keys of the configuration. */
type Configuration = { kind: 'configuration'; name: string; merchantId: null };

/** The program itself, or an account whose holder is not authenticated yet, as in a sign-in. Neither may run an operation. */
type System = { kind: 'system'; name: string; merchantId: string | null };

/** The author of an action. Plain data, because reads are sent to another thread. */
export type Actor = Person | KeyHolder | Configuration | System;

/** Returns the actor of the program, or of an account whose owner is not authenticated yet. */
export function systemActor(name: string, merchantId: string | null = null): System {
  return { kind: 'system', name, merchantId };
}

/**
 * Returns the only merchant whose data an actor may see and change; null for all merchants.
 *
 * @throws Error for a person of a merchant whose account has no merchant.
 */
export function findMerchant(actor: Actor): string | null {
  if (actor.kind !== 'person') return actor.merchantId;
  if (actor.role !== 'merchant') return null;
  if (actor.merchantId === null) throw new Error(`the account ${actor.name} has no merchant`);
  return actor.merchantId;
}

/** Returns whether an actor may see and change data of a merchant, or of all merchants (null). */
export function isWithin(actor: Actor, { merchantId }: { merchantId: string | null }): boolean {
  const own = findMerchant(actor);
  return own === null || own === merchantId;
}

/** The holders of a permission. The role `merchant` and keys hold it for their own merchant only. */
type Holders = {
  roles: readonly AccountRole[];
  /** Keys of merchants' own systems with this scope have it, too. */
  scope?: MerchantScope;
  /** True when the keys of the configuration grant it, too. Never set for a permission that decides about money. */
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
  /** To get alerts about proposals, notes and alarms. */
  'alerts.own': { roles: [...readers, 'admin'] },
  /** To act with a token on the command line. A merchant's systems have keys. */
  'commands.use': { roles: [...readers, 'admin'] },
} as const satisfies Record<string, Holders>;

export type Permission = keyof typeof permissions;

/** Returns whether an actor has a permission, for a subject when one is given. Every check of a right uses this function. */
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

/** Returns whether a merchant's people or keys can have a permission. Callers of `can` must then pass a subject. */
export function isForMerchants(permission: Permission): boolean {
  const { roles, scope }: Holders = permissions[permission];
  return roles.includes('merchant') || scope !== undefined;
}
