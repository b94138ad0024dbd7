import { hubtelFields } from '../hubtel/simulated.ts';
import {
  createJsonPost,
  readJsonAnswer,
  readScreen,
  type SimulatedAggregator,
} from '../simulated-aggregator.ts';

/** Requests are Hubtel's, with the sub-code in the service code. A screen that continues needs `MaskNextRoute`. */
export const simulatedEmergent: SimulatedAggregator = {
  request: (dial, typed) =>
    createJsonPost({ ...hubtelFields(dial, typed), ServiceCode: dial.serviceCode.replace(/^\*|#$/g, '') }),

  read(contentType, body) {
    const reply = readJsonAnswer(contentType, body);
    if (reply?.Type === 'Response' && reply.MaskNextRoute !== true) return undefined;
    return readScreen(reply?.Message, reply?.Type, 'Response', 'Release');
  },
};
