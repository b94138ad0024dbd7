import type { SimulatedAggregator } from '../simulated-aggregator.ts';
import { smppLike } from '../smpp-like/simulated.ts';

/** The interface of the family, with a plus before the number, and with the service code and the country. */
export const simulated: SimulatedAggregator = smppLike({
  endNoticeOp: '29',
  fields: ({ msisdn, serviceCode }) => ({ msisdn: `+${msisdn}`, code: serviceCode, country: 'GH' }),
});
