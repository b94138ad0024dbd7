import { simulated as africastalking, cumulativeFields } from '../africastalking/simulated.ts';
import { createJsonPost, type SimulatedAggregator } from '../simulated-aggregator.ts';

/** Africa's Talking's fields as JSON, and its replies. No notice is known. */
export const simulated: SimulatedAggregator = {
  request: (dial, typed) => createJsonPost(cumulativeFields(dial, typed)),
  read: africastalking.read,
};
