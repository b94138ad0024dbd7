import { monotonicFactory } from 'ulid';
import type { Clock } from '../../src/shared/clock.ts';
import type { Ids } from '../../src/shared/ids.ts';
import { chance } from '../kit/chance.ts';

const seed = 20_260_306;

/**
 * Creates identifiers that are the same at each run with the same clock, in the form of real ones. The keys of the seeded
 * service are among them, so use it only to try something on your own machine.
 */
export function seededIds(clock: Clock): Ids {
  const source = chance(seed);
  const ulid = monotonicFactory(() => source.below(256) / 256);
  return {
    next: (prefix) => `${prefix}_${ulid(clock.now()).toLowerCase()}`,
    secret: () => Buffer.from(Uint8Array.from({ length: 32 }, () => source.below(256))).toString('base64url'),
    digits: (count) => Array.from({ length: count }, () => source.below(10)).join(''),
    random: () => source.below(2 ** 31) / 2 ** 31,
  };
}
