import type { Person } from '../accounts/session.ts';
import { allMerchants, type Scope } from '../support/scope.ts';

/**
 * Returns whose payments, endpoints and keys a person may see.
 *
 * @throws Error for a person of a merchant whose account has no merchant.
 */
export function scopeOf({ name, role, merchantId }: Pick<Person, 'name' | 'role' | 'merchantId'>): Scope {
  if (role !== 'merchant') return allMerchants;
  if (merchantId === null) throw new Error(`the account ${name} has no merchant`);
  return { merchantId };
}
