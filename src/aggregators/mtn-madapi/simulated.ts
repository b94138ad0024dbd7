import { z } from 'zod';
import {
  createJsonPost,
  type Dial,
  readJsonAnswer,
  type SimulatedAggregator,
} from '../simulated-aggregator.ts';

const envelope = z.object({
  statusCode: z.literal('0000'),
  statusMessage: z.string(),
  transactionId: z.string(),
  data: z.object({
    inboundResponse: z.string(),
    userInputRequired: z.boolean(),
    messageType: z.int(),
    serviceCode: z.string(),
    msisdn: z.string(),
  }),
  _link: z.object({ self: z.object({ href: z.string() }) }),
});

const message = (dial: Dial, messageType: string, ussdString: string) =>
  createJsonPost({
    sessionId: dial.session,
    messageType,
    msisdn: dial.msisdn,
    serviceCode: dial.serviceCode,
    ussdString,
    language: 'en',
  });

/** Requests are JSON with the dialled string, then the last input; `userInputRequired` of the reply decides whether to continue. */
export const simulatedMtnMadapi: SimulatedAggregator = {
  request(dial, typed) {
    const input = typed.at(-1);
    return input === undefined ? message(dial, '0', dial.dialled) : message(dial, '1', input);
  },

  endNotice: (dial) => message(dial, '4', 'User cancelled'),

  read(contentType, body, dial) {
    const reply = envelope.safeParse(readJsonAnswer(contentType, body));
    if (!reply.success) return undefined;
    const { inboundResponse: text, userInputRequired, messageType, serviceCode, msisdn } = reply.data.data;
    if (serviceCode !== dial.serviceCode || msisdn !== dial.msisdn) return undefined;
    if (messageType !== (userInputRequired ? 1 : 2)) return undefined;
    return { kind: userInputRequired ? 'continue' : 'end', text };
  },
};
