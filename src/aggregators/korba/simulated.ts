import type { SimulatedAggregator } from '../simulated-aggregator.ts';
import { smppLike } from '../smpp-like/simulated.ts';

/** As the family has it. */
export const simulated: SimulatedAggregator = smppLike({ left: '30' });
