import type { AggregatorEntry } from '../entry.ts';
import { aggregator } from './dialect.ts';
import { simulated } from './simulated.ts';

export const korba: AggregatorEntry = { aggregator, simulated, demoCode: '*395*5#' };
