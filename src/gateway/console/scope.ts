import { type Actor, merchantOf } from '../access/actor.ts';
import { can } from '../access/permissions.ts';
import type { Scope } from '../support/scope.ts';
import type { FilterName, FilterTexts } from './list/filter.ts';

/** Returns whose payments, endpoints and keys an actor may see, and how a search finds numbers. */
export function scopeOf(actor: Actor): Scope {
  const merchantId = merchantOf(actor);
  return { merchantId, lastFour: !can(actor, 'numbers.reveal') };
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
