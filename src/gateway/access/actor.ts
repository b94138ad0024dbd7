import type { MerchantScope } from '../../contract/merchant/merchant-api.ts';
import type { AccountRole } from '../../contract/staff/account.ts';

/** A person who is signed in. */
export type Person = {
  kind: 'person';
  accountId: string;
  /** Recorded with each action of the person. */
  name: string;
  role: AccountRole;
  /** Only for the role `merchant`. */
  merchantId: string | null;
  /** The sign-in session. `confirmedAt` is when the password and a code were entered last, in milliseconds. */
  session: {
    digest: string;
    id: string;
    accountId: string;
    kind: 'setup' | 'full' | 'command';
    createdAt: number;
    seenAt: number;
    confirmedAt: number;
  };
};

/** A merchant's own system, by its key. The name is the id of the key. */
export type KeyHolder = { kind: 'key'; name: string; merchantId: string; scopes: readonly MerchantScope[] };

/** A user who has the keys of the configuration. */
type Configuration = { kind: 'configuration'; name: string; merchantId: null };

/** The program itself, or an account whose holder is not authenticated yet, as in a sign-in. It may run no operation. */
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
