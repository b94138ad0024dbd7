import * as oracle from '../run.ts';
import * as service from './run.ts';

type Peer = Pick<typeof oracle, 'planOf' | 'run'>;

/** The peers of the gateway in a simulation: an oracle that was written for it, or the project's own service. */
export const peers = { oracle, service } satisfies Record<string, Peer>;

export type PeerName = keyof typeof peers;

export const peerNames = Object.keys(peers) as PeerName[];
