import type { AggregatorEntry } from '../entry.ts';
import { aggregator } from './dialect.ts';
import { simulated } from './simulated.ts';

export const sendexa: AggregatorEntry = { aggregator, simulated, demoCode: '*123*5#' };
