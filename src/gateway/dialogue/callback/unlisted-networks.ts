import type { EpochMs } from '../../../shared/clock.ts';
import type { Log } from '../../../shared/log.ts';
import { maskNumbers } from '../../../shared/msisdn.ts';
import type { Metrics } from '../../metrics/metrics.ts';

const dayMs = 24 * 3_600_000;
/** Names of one channel that are logged in a day. */
const maxNames = 10;

type UnlistedNetworkDeps = { log: Pick<Log, 'warn'>; metrics: Pick<Metrics, 'networkUnlisted'> };

/**
 * Creates the function that counts each network name that no operator has, and logs each name of a channel once a day (UTC), at
 * most ten. Then the prefix of the number decides, which is wrong for a number that changed its network.
 */
export function createUnlistedNetworks({ log, metrics }: UnlistedNetworkDeps) {
  let today = Number.NaN;
  let logged = new Map<string, Set<string>>();
  return (channel: string, name: string, now: EpochMs): void => {
    metrics.networkUnlisted(channel);
    const day = Math.floor(now / dayMs);
    if (day !== today) logged = new Map();
    today = day;
    const names = logged.get(channel) ?? new Set();
    if (names.size >= maxNames || names.has(name)) return;
    logged.set(channel, names.add(name));
    const isLast = names.size === maxNames;
    log.warn(
      { channel, network: maskNumbers(name), ...(isLast && { more: 'counted only, until tomorrow' }) },
      'the aggregator named an unknown network, so the prefix of the number decided: list the name under operators of the channel',
    );
  };
}
