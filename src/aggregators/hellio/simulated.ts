import { simulated as africastalking, cumulativeFields } from '../africastalking/simulated.ts';
import { createJsonPost, type SimulatedAggregator } from '../simulated-aggregator.ts';

/** Requests have the fields of Africa's Talking as JSON; replies are the same. No end notice is documented. */
export const simulated: SimulatedAggregator = {
  request: (dial, typed) => createJsonPost(cumulativeFields(dial, typed)),
  read: africastalking.read,
};
