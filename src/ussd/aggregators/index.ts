import type { Aggregator } from '../turn.ts';
import { africastalking } from './africastalking.ts';
import { nalo } from './nalo.ts';

/** Every dialect that the gateway speaks, by the name that a channel's configuration uses. */
export const aggregators: Readonly<Record<string, Aggregator>> = { africastalking, nalo };

export const aggregatorNames: readonly string[] = Object.keys(aggregators);
