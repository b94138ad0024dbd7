import type { CallName } from '../../src/gateway/collection/fact.ts';

/** Returns the name of the service call that a URL addresses. */
export function callName(url: string): CallName {
  const { pathname } = new URL(url);
  if (pathname.endsWith('/initiate')) return 'initiate';
  return pathname.endsWith('/status') ? 'status' : 'create';
}
