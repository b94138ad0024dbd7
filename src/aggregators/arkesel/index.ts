import type { AggregatorEntry } from '../entry.ts';
import { aggregator } from './dialect.ts';
import { simulated } from './simulated.ts';

export const arkesel: AggregatorEntry = { aggregator, simulated, demoCode: '*928*5#' };
