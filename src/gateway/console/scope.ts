import type { Person } from '../accounts/session.ts';
import { allMerchants, type Scope } from '../support/scope.ts';
import type { FilterName, FilterTexts } from './list/filter.ts';

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

/** Filters that people of a merchant do not have: their list has one merchant, and assignments are of support staff. */
const staffFilters: readonly FilterName[] = ['merchant', 'assigned'];

/** Returns whether a person with the scope has a filter. */
export function hasFilter({ merchantId }: Scope, name: FilterName): boolean {
  return merchantId === null || !staffFilters.includes(name);
}

/** Returns the message about a filter that a person with the scope does not have; undefined without one. */
export function filterFault(scope: Scope, texts: FilterTexts): string | undefined {
  const name = staffFilters.find((one) => texts[one] !== undefined && !hasFilter(scope, one));
  return name && `${name}: your list of payments does not have this filter.`;
}
