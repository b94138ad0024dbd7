import type { SimulatedAggregator } from '../simulated-aggregator.ts';
import { smppLike } from '../smpp-like/simulated.ts';

export const simulated: SimulatedAggregator = smppLike({ endNoticeOp: '30' });
