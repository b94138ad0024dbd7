import { createLookups, type Lookups } from '../gateway/lookup/lookup.ts';
import type { LookupHandler } from '../menu/effects/handler.ts';
import type { Menu } from '../menu/schema.ts';
import type { Clock } from '../shared/clock.ts';
import type { Ids } from '../shared/ids.ts';
import type { Log } from '../shared/log.ts';

/** Handlers by the names of their screens. */
export type Handlers = Readonly<Record<string, LookupHandler>>;

/**
 * Answers look-ups by handlers alone, as the gateway would ask them: within the same time, and held to the same form. An
 * address is never asked: what has no handler comes to nothing.
 */
export function answerLookups(
  handlers: Handlers,
  around: { clock: Clock; ids: Ids; log: Log },
): Lookups['ask'] {
  const { clock: networkClock, ids, log } = around;
  const fetch = () => Promise.reject(new Error('a till asks nobody outside'));
  const lookups = createLookups({ fetch, networkClock, ids, log });
  return ({ id }, { asked }, budgetMs) => lookups.ask({ id, handlers }, { asked }, budgetMs);
}

/** The names of a menu's look-ups. */
export function lookupsOf(menu: Menu): string[] {
  return Object.entries(menu.screens).flatMap(([name, { kind }]) => (kind === 'lookup' ? [name] : []));
}
