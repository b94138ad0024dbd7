import { ulid } from 'ulid';
import type { Ids } from '../../src/shared/ids.ts';
import type { Random } from '../kit/random.ts';

/** Creates identifiers and secrets that are the same for the same seed. */
export function idsOf(random: Random, now: () => number): Ids {
  const text = (length: number) => Array.from({ length }, () => random.int(0, 35).toString(36)).join('');
  return {
    next: (prefix) => `${prefix}_${ulid(now(), random.real).toLowerCase()}`,
    secret: () => text(43),
    digits: (count) => Array.from({ length: count }, () => random.int(0, 9)).join(''),
    random: random.real,
  };
}
