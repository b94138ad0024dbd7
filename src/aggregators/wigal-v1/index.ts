import type { AggregatorEntry } from '../entry.ts';
import { aggregator } from './dialect.ts';
import { simulated } from './simulated.ts';

export const wigalV1: AggregatorEntry = { aggregator, simulated, demoCode: '*718*5#' };
