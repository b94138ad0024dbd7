import { ulid } from 'ulid';
import type { Ids } from '../../src/shared/ids.ts';
import type { Chance } from './chance.ts';

/** Identifiers and secrets that are the same for the same seed. */
export function idsOf(chance: Chance, now: () => number): Ids {
  const text = (length: number) => Array.from({ length }, () => chance.int(0, 35).toString(36)).join('');
  return {
    next: (prefix) => `${prefix}_${ulid(now(), chance.real).toLowerCase()}`,
    secret: () => text(43),
    digits: (count) => Array.from({ length: count }, () => chance.int(0, 9)).join(''),
    random: chance.real,
  };
}
