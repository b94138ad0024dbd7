import type { KeepReads } from '../kept-reads.ts';
import type { Livemode } from '../schema.ts';
import type { EndpointKey, EndpointStore } from './endpoint-store.ts';

const nameOf = ({ platformId, livemode }: EndpointKey) => `${livemode} ${platformId}`;

function parseName(name: string): EndpointKey {
  return { platformId: name.slice(2), livemode: Number(name[0]) as Livemode };
}

/** Keeps in memory what each delivery reads: its endpoint, and the secrets that sign it. */
export function keepEndpoints(endpoints: EndpointStore, keep: KeepReads): EndpointStore {
  const find = keep(['endpoint'], (name) => endpoints.find(parseName(name)));
  const listSecrets = keep(['signing_secret'], (name) => endpoints.listSecrets(parseName(name)));
  return {
    ...endpoints,
    find: (key) => find(nameOf(key)),
    listSecrets: (key) => listSecrets(nameOf(key)),
  };
}
