import type { AggregatorEntry } from '../entry.ts';
import { aggregator } from './dialect.ts';
import { simulated } from './simulated.ts';

export const infobip: AggregatorEntry = { aggregator, simulated, demoCode: '*800*5#' };
