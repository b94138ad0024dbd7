import type { AggregatorEntry } from '../entry.ts';
import { aggregator } from './dialect.ts';
import { simulated } from './simulated.ts';

export const nsano: AggregatorEntry = { aggregator, simulated, demoCode: '*447*5#' };
