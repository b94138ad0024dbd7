import type { LookupRequest, ProxyTurn } from '../state/state.ts';

/**
 * Answers a lookup or a proxy screen inside the gateway, in place of an HTTP request. It resolves to an object with the
 * fields of the answer, or to `undefined` when nothing was found. Only the requests of proxy screens have a turn. The
 * signal aborts when the budget is used up.
 */
export type LookupHandler = (
  request: LookupRequest & Partial<ProxyTurn>,
  options: { signal: AbortSignal },
) => Promise<unknown>;

/** Handlers by the name of their screen. The object has no prototype. */
export type LookupHandlers = Readonly<Record<string, LookupHandler>>;

export const noHandlers: LookupHandlers = toHandlers([]);

export function toHandlers(
  entries: Iterable<readonly [screen: string, handler: LookupHandler]>,
): LookupHandlers {
  const handlers: Record<string, LookupHandler> = Object.create(null);
  for (const [screen, handler] of entries) handlers[screen] = handler;
  return handlers;
}
