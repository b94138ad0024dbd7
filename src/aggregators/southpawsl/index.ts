import type { AggregatorEntry } from '../entry.ts';
import { aggregator } from './dialect.ts';
import { simulated } from './simulated.ts';

export const southpawsl: AggregatorEntry = { aggregator, simulated, demoCode: '*755*5#' };
