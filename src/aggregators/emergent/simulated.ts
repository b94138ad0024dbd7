import { hubtelFields } from '../hubtel/simulated.ts';
import { createJsonPost, readJson, readScreen, type SimulatedAggregator } from '../simulated-aggregator.ts';

/** Hubtel's request, with the service code of the whole sub-code; a screen that goes on must say `MaskNextRoute`. */
export const simulated: SimulatedAggregator = {
  request: (dial, typed) =>
    createJsonPost({ ...hubtelFields(dial, typed), ServiceCode: dial.serviceCode.replace(/^\*|#$/g, '') }),

  read(contentType, body) {
    const reply = readJson(contentType, body);
    if (reply?.Type === 'Response' && reply.MaskNextRoute !== true) return undefined;
    return readScreen(reply?.Message, reply?.Type, 'Response', 'Release');
  },
};
