import {
  createJsonPost,
  networkNames,
  readJson,
  readScreen,
  type SimulatedAggregator,
} from '../simulated-aggregator.ts';

/** When the request was made: each a second after the one before, so that equal calls give equal bytes. */
const timestamp = (requests: number) => new Date(Date.UTC(2026, 2, 6, 9, 0, requests)).toISOString();

/** JSON with no input at first; the code as it was dialled; a reply says whether to close. */
export const simulated: SimulatedAggregator = {
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
    const reply = readJson(contentType, body);
    return readScreen(reply?.message, reply?.shouldClose, false, true);
  },
};
