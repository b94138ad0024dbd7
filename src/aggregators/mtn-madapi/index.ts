import type { AggregatorEntry } from '../entry.ts';
import { aggregator } from './dialect.ts';
import { simulated } from './simulated.ts';

export const mtnMadapi: AggregatorEntry = { aggregator, simulated, demoCode: '*1234*5#' };
