import { networkNames, postJson, readJson, screenOf, type Wire } from '../simulated.ts';

const userId = 'DIALTILL';

/** JSON with the dialled string, then the last input alone; a reply's `MSGTYPE` says whether to go on. */
export const nalo: Wire = {
  request: (dial, typed) =>
    postJson({
      USERID: userId,
      MSISDN: dial.msisdn,
      USERDATA: typed.at(-1) ?? dial.dialled,
      MSGTYPE: typed.length === 0,
      NETWORK: networkNames[dial.operator],
      SESSIONID: dial.session,
    }),

  read(contentType, body) {
    const reply = readJson(contentType, body);
    return reply?.USERID === userId ? screenOf(reply.MSG, reply.MSGTYPE, true, false) : undefined;
  },
};
