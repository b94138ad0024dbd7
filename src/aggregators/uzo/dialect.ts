import type { Aggregator } from '../aggregator.ts';
import { smppLike } from '../smpp-like/dialect.ts';

const firstEnd = 29;
/** The number is one octet. */
const lastEnd = 255;

const ends = Array.from({ length: lastEnd - firstEnd + 1 }, (_, i) => String(firstEnd + i));

/**
 * Uzo: any number of 29 and above says that the session is over, and none why. Numbers of payers have a plus, and
 * `code` and `country` come along.
 */
export const aggregator: Aggregator = smppLike(
  'uzo',
  'Uzo',
  Object.fromEntries(ends.map((number) => [number, 'ended' as const])),
);
