import { randomBytes } from 'node:crypto';
import { monotonicFactory } from 'ulid';
import type { Clock } from './clock.ts';

/** Chance, handed in: identifiers and secrets come from here and from nowhere else. */
export interface Ids {
  /** A new identifier, `prefix_` and a ULID in lower case: sorted by time, unique without asking anyone. */
  next(prefix: string): string;
  /** A new secret of 256 bits, base64url. */
  secret(): string;
  /** A number in [0, 1), for jitter. */
  random(): number;
}

export function systemIds(clock: Clock): Ids {
  const ulid = monotonicFactory();
  return {
    next: (prefix) => `${prefix}_${ulid(clock.now()).toLowerCase()}`,
    secret: () => randomBytes(32).toString('base64url'),
    random: Math.random,
  };
}
