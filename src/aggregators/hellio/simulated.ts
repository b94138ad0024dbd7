import { africastalking, cumulativeFields } from '../africastalking/simulated.ts';
import { postJson, type Wire } from '../simulated.ts';

/** Africa's Talking's fields as JSON, and its replies. No notice is known. */
export const hellio: Wire = {
  request: (dial, typed) => postJson(cumulativeFields(dial, typed)),
  read: africastalking.read,
};
