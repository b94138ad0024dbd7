import type { AggregatorEntry } from '../entry.ts';
import { aggregator } from './dialect.ts';
import { simulated } from './simulated.ts';

export const africastalking: AggregatorEntry = { aggregator, simulated, demoCode: '*713*5#' };
