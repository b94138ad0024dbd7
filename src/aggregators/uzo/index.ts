import type { AggregatorEntry } from '../entry.ts';
import { aggregator } from './dialect.ts';
import { simulated } from './simulated.ts';

export const uzo: AggregatorEntry = { aggregator, simulated, demoCode: '*844*5#' };
