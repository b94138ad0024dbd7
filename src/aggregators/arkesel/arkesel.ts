import type { AggregatorEntry } from '../aggregator.ts';
import { describe } from '../description/describe.ts';
import { createJsonPost, networkNames, readJsonScreen } from '../simulated-aggregator.ts';

const userID = 'DIALTILL_1';

/**
 * Arkesel: JSON. The first request contains the whole dialled string, later ones the last input. `newSession` marks the
 * first request, so that payers can type `*` and `#` as inputs. The reply echoes three fields.
 */
export const arkesel: AggregatorEntry = {
  aggregator: describe(
    { name: 'arkesel', title: 'Arkesel' },
    {
      session: ['sessionID'],
      number: ['msisdn'],
      operator: ['network'],
      input: ['userData'],
      kind: { field: ['newSession'], first: ['true'], flag: true },
      reply: {
        continue: {
          sessionID: '{sessionID}',
          userID: '{userID}',
          msisdn: '{msisdn}',
          message: '{text}',
          continueSession: true,
        },
        end: {
          sessionID: '{sessionID}',
          userID: '{userID}',
          msisdn: '{msisdn}',
          message: '{text}',
          continueSession: false,
        },
      },
    },
  ),
  demoCode: '*928*5#',
  /** Requests are JSON with the dialled string, then the last input; `continueSession` of the reply decides whether to continue. */
  simulated: {
    request: (dial, typed) =>
      createJsonPost({
        sessionID: dial.session,
        userID,
        newSession: typed.length === 0,
        msisdn: dial.msisdn,
        userData: typed.at(-1) ?? dial.dialled,
        network: networkNames[dial.operator],
      }),

    read: readJsonScreen(
      'message',
      'continueSession',
      [true, false],
      (reply, dial) =>
        reply.sessionID === dial.session && reply.userID === userID && reply.msisdn === dial.msisdn,
    ),
  },
};
