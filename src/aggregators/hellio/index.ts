import type { AggregatorEntry } from '../entry.ts';
import { aggregator } from './dialect.ts';
import { simulated } from './simulated.ts';

export const hellio: AggregatorEntry = { aggregator, simulated, demoCode: '*384*5#' };
