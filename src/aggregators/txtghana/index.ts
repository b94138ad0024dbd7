import type { AggregatorEntry } from '../entry.ts';
import { aggregator } from './dialect.ts';
import { simulated } from './simulated.ts';

export const txtghana: AggregatorEntry = { aggregator, simulated, demoCode: '*789*5#' };
