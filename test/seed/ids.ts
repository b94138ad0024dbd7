import { monotonicFactory } from 'ulid';
import type { Clock } from '../../src/shared/clock.ts';
import type { Ids } from '../../src/shared/ids.ts';
import { createRandom } from '../kit/random.ts';

const seed = '20260306';

/**
 * Creates identifiers that are the same at each run with the same clock, in the form of real ones. The keys of the seeded
 * service are among them, so use it only to try something on your own machine.
 */
export function seededIds(clock: Clock): Ids {
  const source = createRandom(seed);
  const ulid = monotonicFactory(() => source.real());
  return {
    next: (prefix) => `${prefix}_${ulid(clock.now()).toLowerCase()}`,
    secret: () =>
      Buffer.from(Uint8Array.from({ length: 32 }, () => source.int(0, 255))).toString('base64url'),
    digits: (count) => Array.from({ length: count }, () => source.int(0, 9)).join(''),
    random: source.real,
  };
}
