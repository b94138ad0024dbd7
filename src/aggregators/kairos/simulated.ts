import {
  createJsonPost,
  readJsonAnswer,
  readScreen,
  type SimulatedAggregator,
} from '../simulated-aggregator.ts';

/**
 * Requests are JSON with the dialled string, then the last input, all of message type "0" and without a network. The
 * channel's settings define the message types of replies that continue and that end.
 */
export const simulatedKairos: SimulatedAggregator = {
  request: (dial, typed) =>
    createJsonPost({
      msisdn: dial.msisdn,
      sessionId: dial.session,
      messageType: '0',
      ussdString: typed.at(-1) ?? dial.dialled,
    }),

  read(contentType, body, dial) {
    const reply = readJsonAnswer(contentType, body);
    if (reply?.sessionId !== dial.session || reply.msisdn !== dial.msisdn) return undefined;
    if (typeof reply.timestamp !== 'string' || reply.timestamp === '') return undefined;
    const { continueValue = '0', endValue = '2' } = dial.settings ?? {};
    return readScreen(reply.ussdString, reply.messageType, continueValue, endValue);
  },
};
