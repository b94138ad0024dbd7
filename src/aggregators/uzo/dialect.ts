import type { Aggregator } from '../aggregator.ts';
import { smppLike } from '../smpp-like/dialect.ts';

const minEnd = 29;
/** The operation number is one octet. */
const maxEnd = 255;

const ends = Array.from({ length: maxEnd - minEnd + 1 }, (_, i) => String(minEnd + i));

/**
 * Uzo: `ussdServiceOp` 29 and above ends the session without a reason. Phone numbers have a plus, and requests have the
 * additional fields `code` and `country`.
 */
export const aggregator: Aggregator = smppLike(
  'uzo',
  'Uzo',
  Object.fromEntries(ends.map((number) => [number, 'ended' as const])),
);
