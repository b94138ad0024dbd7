import { createLookups, type Lookups } from '../gateway/lookup/lookup.ts';
import type { LookupHandler } from '../menu/effects/handler.ts';
import { isMerchantScreen, type Menu } from '../menu/schema.ts';
import type { Clock } from '../shared/clock.ts';
import type { Ids } from '../shared/ids.ts';
import type { Log } from '../shared/log.ts';

/** Handlers by lookup and proxy screen. */
export type Handlers = Readonly<Record<string, LookupHandler>>;

/**
 * Answers lookups by handlers alone, with the time limits and the validation of the gateway. A lookup without a handler
 * has no answer: no request is sent to an address.
 */
export function answerLookups(
  handlers: Handlers,
  deps: { clock: Clock; ids: Ids; log: Log },
): Lookups['ask'] {
  const { clock: networkClock, ids, log } = deps;
  const fetch = () => Promise.reject(new Error('a till sends no lookups to addresses'));
  const lookups = createLookups({ fetch, networkClock, ids, log });
  return ({ id }, { url: _, ...asked }, budgetMs) => lookups.ask({ id, handlers }, asked, budgetMs);
}

/** Returns the names of a menu's lookups and proxy screens. */
export function listLookups(menu: Menu): string[] {
  return Object.entries(menu.screens).flatMap(([name, screen]) => (isMerchantScreen(screen) ? [name] : []));
}
