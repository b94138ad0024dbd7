import {
  createJsonPost,
  networkNames,
  readJsonAnswer,
  readScreen,
  type SimulatedAggregator,
} from '../simulated-aggregator.ts';

const userId = 'DIALTILL';

/** Requests are JSON with the dialled string, then the last input; `MSGTYPE` of the reply decides whether to continue. */
export const simulatedNalo: SimulatedAggregator = {
  request: (dial, typed) =>
    createJsonPost({
      USERID: userId,
      MSISDN: dial.msisdn,
      USERDATA: typed.at(-1) ?? dial.dialled,
      MSGTYPE: typed.length === 0,
      NETWORK: networkNames[dial.operator],
      SESSIONID: dial.session,
    }),

  read(contentType, body) {
    const reply = readJsonAnswer(contentType, body);
    return reply?.USERID === userId ? readScreen(reply.MSG, reply.MSGTYPE, true, false) : undefined;
  },
};
