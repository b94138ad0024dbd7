import type { AggregatorEntry } from '../entry.ts';
import { aggregator } from './dialect.ts';
import { simulated } from './simulated.ts';

export const nalo: AggregatorEntry = { aggregator, simulated, demoCode: '*920*5#' };
