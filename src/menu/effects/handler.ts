import type { LookUpRequest } from '../state/state.ts';

/**
 * Answers a look-up inside the gateway, instead of an address that is asked. What it resolves to must hold what the
 * screen takes; `undefined`: there is no such thing. The signal aborts once nobody waits any more.
 */
export type LookUpHandler = (asked: LookUpRequest, around: { signal: AbortSignal }) => Promise<unknown>;

/** By the names of their screens; without a prototype. */
export type LookUpHandlers = Readonly<Record<string, LookUpHandler>>;

export const noHandlers: LookUpHandlers = handlersOf([]);

export function handlersOf(
  entries: Iterable<readonly [screen: string, handler: LookUpHandler]>,
): LookUpHandlers {
  const handlers: Record<string, LookUpHandler> = Object.create(null);
  for (const [screen, handler] of entries) handlers[screen] = handler;
  return handlers;
}
