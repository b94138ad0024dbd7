import type { Ids } from '../../../shared/ids.ts';

/** Returns a new idempotency key of a call; a quote is a create call. 96 random bits keep all keys apart. */
export function callKey(ids: Pick<Ids, 'secret'>, call: 'quote' | 'create' | 'initiate'): string {
  return `${call}.${ids.secret().slice(0, 16)}`;
}
