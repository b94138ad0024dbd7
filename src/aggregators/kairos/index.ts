import type { AggregatorEntry } from '../entry.ts';
import { aggregator } from './dialect.ts';
import { simulated } from './simulated.ts';

export const kairos: AggregatorEntry = { aggregator, simulated, demoCode: '*889*5#' };
