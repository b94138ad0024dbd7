import { randomBytes, randomInt } from 'node:crypto';
import { monotonicFactory } from 'ulid';
import type { Clock } from './clock.ts';

/** Chance, handed in: identifiers and secrets come from here and from nowhere else. */
export interface Ids {
  /** A new identifier, `prefix_` and a ULID in lower case: sorted by time, unique without asking anyone. */
  next(prefix: string): string;
  /** A new secret of 256 bits, base64url. */
  secret(): string;
  /** `count` digits (at most 14) that nobody can guess, leading zeros kept: a one-time code. */
  digits(count: number): string;
  /** A number in [0, 1), for jitter. */
  random(): number;
}

export function systemIds(clock: Clock): Ids {
  const ulid = monotonicFactory(chanceInStock());
  return {
    next: (prefix) => `${prefix}_${ulid(clock.now()).toLowerCase()}`,
    secret: () => randomBytes(32).toString('base64url'),
    digits: (count) => String(randomInt(10 ** count)).padStart(count, '0'),
    random: Math.random,
  };
}

/** Chance for identifiers, 5 bits of each byte, drawn 4 KiB at a time: to draw it singly cost more than the rest. */
function chanceInStock(): () => number {
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
