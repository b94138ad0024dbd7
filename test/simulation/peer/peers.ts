import * as oracle from '../run.ts';
import { severalGateways } from '../several/run.ts';
import * as service from './run.ts';

type Peer = Pick<typeof oracle, 'planOf' | 'run'>;

/** The peers of the gateway in a simulation: an oracle that was written for it, or the project's own service. */
export const peers = { oracle, service } satisfies Record<string, Peer>;

/** What plays a seed: the peer, and the number of gateways. Several gateways have the oracle as their peer. */
export type World = { peer: PeerName; gateways: number };

export const worldOf = ({ peer, gateways }: World): Peer =>
  gateways > 1 ? severalGateways(gateways) : peers[peer];

export type PeerName = keyof typeof peers;

export const peerNames = Object.keys(peers) as PeerName[];
