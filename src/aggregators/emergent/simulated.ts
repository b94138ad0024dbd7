import { hubtelFields } from '../hubtel/simulated.ts';
import { postJson, readJson, screenOf, type Wire } from '../simulated.ts';

/** Hubtel's request, with the service code of the whole sub-code; a screen that goes on must say `MaskNextRoute`. */
export const emergent: Wire = {
  request: (dial, typed) =>
    postJson({ ...hubtelFields(dial, typed), ServiceCode: dial.serviceCode.replace(/^\*|#$/g, '') }),

  read(contentType, body) {
    const reply = readJson(contentType, body);
    if (reply?.Type === 'Response' && reply.MaskNextRoute !== true) return undefined;
    return screenOf(reply?.Message, reply?.Type, 'Response', 'Release');
  },
};
