import type { AggregatorEntry } from '../aggregator.ts';
import { describe } from '../description/describe.ts';
import { createJsonPost, networkNames, readJsonScreen } from '../simulated-aggregator.ts';

const userId = 'DIALTILL';

/**
 * Nalo Solutions: JSON with the whole dialled string on the first request, then the last input. `MSGTYPE` true in a reply
 * continues the session. Older requests have no session id; the number of the dialler replaces it.
 */
export const nalo: AggregatorEntry = {
  aggregator: describe(
    { name: 'nalo', title: 'Nalo Solutions', style: { limit: 120 }, promptDelayMs: 2_000 },
    {
      session: ['SESSIONID'],
      numberAsSession: true,
      number: ['MSISDN'],
      operator: ['NETWORK'],
      input: ['USERDATA'],
      kind: {
        field: ['MSGTYPE'],
        first: ['true'],
        flag: true,
        // Some integrations receive `MSGTYPE` true on later requests too. 2 is an end notice (not confirmed).
        firstNeedsDial: true,
        ended: { '2': 'ended' },
      },
      reply: {
        continue: { USERID: '{USERID}', MSISDN: '{MSISDN}', MSG: '{text}', MSGTYPE: true },
        end: { USERID: '{USERID}', MSISDN: '{MSISDN}', MSG: '{text}', MSGTYPE: false },
      },
    },
  ),
  demoCode: '*920*5#',
  /** Requests are JSON with the dialled string, then the last input; `MSGTYPE` of the reply decides whether to continue. */
  simulated: {
    request: (dial, typed) =>
      createJsonPost({
        USERID: userId,
        MSISDN: dial.msisdn,
        USERDATA: typed.at(-1) ?? dial.dialled,
        MSGTYPE: typed.length === 0,
        NETWORK: networkNames[dial.operator],
        SESSIONID: dial.session,
      }),

    read: readJsonScreen('MSG', 'MSGTYPE', [true, false], (reply) => reply.USERID === userId),
  },
};
