import type { LookupRequest } from '../state/state.ts';

/**
 * Answers a look-up inside the gateway, instead of an address that is asked. What it resolves to must hold what the
 * screen takes; `undefined`: there is no such thing. The signal aborts once nobody waits any more.
 */
export type LookupHandler = (asked: LookupRequest, around: { signal: AbortSignal }) => Promise<unknown>;

/** By the names of their screens; without a prototype. */
export type LookupHandlers = Readonly<Record<string, LookupHandler>>;

export const noHandlers: LookupHandlers = handlersOf([]);

export function handlersOf(
  entries: Iterable<readonly [screen: string, handler: LookupHandler]>,
): LookupHandlers {
  const handlers: Record<string, LookupHandler> = Object.create(null);
  for (const [screen, handler] of entries) handlers[screen] = handler;
  return handlers;
}
