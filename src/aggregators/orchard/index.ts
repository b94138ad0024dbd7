import type { AggregatorEntry } from '../entry.ts';
import { aggregator } from './dialect.ts';
import { simulated } from './simulated.ts';

export const orchard: AggregatorEntry = { aggregator, simulated, demoCode: '*380*5#' };
