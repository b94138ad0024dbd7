import {
  createJsonPost,
  networkNames,
  readJsonAnswer,
  readScreen,
  type SimulatedAggregator,
} from '../simulated-aggregator.ts';

const userID = 'DIALTILL_1';

/** Requests are JSON with the dialled string, then the last input; `continueSession` of the reply decides whether to continue. */
export const simulatedArkesel: SimulatedAggregator = {
  request: (dial, typed) =>
    createJsonPost({
      sessionID: dial.session,
      userID,
      newSession: typed.length === 0,
      msisdn: dial.msisdn,
      userData: typed.at(-1) ?? dial.dialled,
      network: networkNames[dial.operator],
    }),

  read(contentType, body, dial) {
    const reply = readJsonAnswer(contentType, body);
    if (reply?.sessionID !== dial.session || reply.userID !== userID || reply.msisdn !== dial.msisdn) {
      return undefined;
    }
    return readScreen(reply.message, reply.continueSession, true, false);
  },
};
