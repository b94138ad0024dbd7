import type { AggregatorEntry } from '../entry.ts';
import { aggregator } from './dialect.ts';
import { simulated } from './simulated.ts';

export const mnotify: AggregatorEntry = { aggregator, simulated, demoCode: '*899*5#' };
