import type { SimulatedAggregator } from '../simulated-aggregator.ts';
import { smppLike } from '../smpp-like/simulated.ts';

/** As the family has it, with a plus before the number, the code that was dialled, and the country. */
export const simulated: SimulatedAggregator = smppLike({
  left: '29',
  fields: ({ msisdn, serviceCode }) => ({ msisdn: `+${msisdn}`, code: serviceCode, country: 'GH' }),
});
