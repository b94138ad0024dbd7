import type { CallName } from '../../src/gateway/collection/fact.ts';

/** Which of the service's calls an address stands for. */
export function callName(url: string): CallName {
  const { pathname } = new URL(url);
  if (pathname.endsWith('/initiate')) return 'initiate';
  return pathname.endsWith('/status') ? 'status' : 'create';
}
