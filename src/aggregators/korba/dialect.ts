import type { Aggregator } from '../aggregator.ts';
import { smppLike } from '../smpp-like/dialect.ts';

/** Korba: a session that is over has failed (3) or was cancelled (30). */
export const aggregator: Aggregator = smppLike('korba', 'Korba', { '3': 'failed', '30': 'cancelled' });
