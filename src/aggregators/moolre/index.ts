import type { AggregatorEntry } from '../entry.ts';
import { aggregator } from './dialect.ts';
import { simulated } from './simulated.ts';

export const moolre: AggregatorEntry = { aggregator, simulated, demoCode: '*203*5#' };
