import {
  createJsonPost,
  networkNames,
  readJsonAnswer,
  readScreen,
  type SimulatedAggregator,
} from '../simulated-aggregator.ts';

/** Returns the time of a request: one second after the previous one, so that equal calls result in equal bytes. */
const timestamp = (requests: number) => new Date(Date.UTC(2026, 2, 6, 9, 0, requests)).toISOString();

/** Requests are JSON without an input at first, with the dialled string as the service code; `shouldClose` of the reply ends the session. */
export const simulatedSendexa: SimulatedAggregator = {
  request: (dial, typed) =>
    createJsonPost({
      sessionId: dial.session,
      phone: dial.msisdn,
      network: networkNames[dial.operator],
      serviceCode: dial.dialled,
      type: typed.length === 0 ? 'new' : 'continue',
      input: typed.at(-1) ?? null,
      timestamp: timestamp(typed.length),
    }),

  endNotice: (dial, typed) =>
    createJsonPost({
      event: 'ussd.session.completed',
      timestamp: timestamp(typed.length + 1),
      data: {
        sessionId: dial.session,
        phone: dial.msisdn,
        network: networkNames[dial.operator],
        duration: typed.length + 1,
        totalSteps: typed.length + 1,
        status: 'success',
      },
    }),

  read(contentType, body) {
    const reply = readJsonAnswer(contentType, body);
    return readScreen(reply?.message, reply?.shouldClose, false, true);
  },
};
