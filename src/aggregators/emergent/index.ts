import type { AggregatorEntry } from '../entry.ts';
import { aggregator } from './dialect.ts';
import { simulated } from './simulated.ts';

export const emergent: AggregatorEntry = { aggregator, simulated, demoCode: '*714*5#' };
