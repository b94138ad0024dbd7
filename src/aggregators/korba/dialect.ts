import type { Aggregator } from '../aggregator.ts';
import { smppLike } from '../smpp-like/dialect.ts';

/** Korba: 3 reports a failed session, 30 a cancelled one. */
export const aggregator: Aggregator = smppLike('korba', 'Korba', { '3': 'failed', '30': 'cancelled' });
