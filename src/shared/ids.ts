import { randomBytes, randomInt } from 'node:crypto';
import { monotonicFactory } from 'ulid';
import type { Clock } from './clock.ts';

/** The only source of identifiers, secrets and random numbers. */
export interface Ids {
  /** Returns a new identifier: `prefix_` and a ULID in lower case. Identifiers of a prefix sort by time. */
  next(prefix: string): string;
  /** Returns a new secret of 256 bits in base64url. */
  secret(): string;
  /** Returns `count` random digits (at most 14) from a secure source, with leading zeros. */
  digits(count: number): string;
  /** Returns a number in [0, 1), for jitter. It is not secure. */
  random(): number;
}

/** Creates identifiers and secrets from the system's random source. */
export function systemIds(clock: Clock): Ids {
  const ulid = monotonicFactory(bufferedRandom());
  return {
    next: (prefix) => `${prefix}_${ulid(clock.now()).toLowerCase()}`,
    secret: () => randomBytes(32).toString('base64url'),
    digits: (count) => String(randomInt(10 ** count)).padStart(count, '0'),
    random: Math.random,
  };
}

/** Creates a source of 8-bit random numbers in [0, 1). It reads 4 KiB at a time, because single reads take most of the time of a ULID. */
function bufferedRandom(): () => number {
  let bytes = randomBytes(4096);
  let at = 0;
  return () => {
    if (at === bytes.length) {
      bytes = randomBytes(bytes.length);
      at = 0;
    }
    return (bytes[at++] ?? 0) / 256;
  };
}

/** The length of a ULID, so that a counted identifier passes the same checks. */
const length = 26;

/** Returns the identifier number `count` of a prefix. Counted identifiers sort by count, as ULIDs sort by time. */
export function countedId(prefix: string, count: number): string {
  return `${prefix}_${String(count).padStart(length, '0')}`;
}

/** Returns `ids` that count from 1 for each prefix, for output that is the same on each run: never where they must be hard to guess. */
export function countedIds(ids: Ids): Ids {
  const counts = new Map<string, number>();
  return {
    ...ids,
    next(prefix) {
      const count = (counts.get(prefix) ?? 0) + 1;
      counts.set(prefix, count);
      return countedId(prefix, count);
    },
  };
}
