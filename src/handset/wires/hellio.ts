import { postJson, type Wire } from '../wire.ts';
import { africastalking, cumulativeFields } from './africastalking.ts';

/** Africa's Talking's fields as JSON, and its replies. No notice is known. */
export const hellio: Wire = {
  request: (dial, typed) => postJson(cumulativeFields(dial, typed)),
  read: africastalking.read,
};
