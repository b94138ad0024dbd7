import type { AggregatorEntry } from '../entry.ts';
import { aggregator } from './dialect.ts';
import { simulated } from './simulated.ts';

export const beem: AggregatorEntry = { aggregator, simulated, demoCode: '*149*5#' };
