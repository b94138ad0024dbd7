import type { AggregatorEntry } from '../entry.ts';
import { aggregator } from './dialect.ts';
import { simulated } from './simulated.ts';

export const hubtel: AggregatorEntry = { aggregator, simulated, demoCode: '*711*5#' };
