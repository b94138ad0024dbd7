import type { Aggregator } from '../aggregator.ts';
import { describe } from '../description/describe.ts';

/**
 * Arkesel: JSON. The first request contains the whole dialled string, later ones the last input. `newSession` marks the
 * first request, so that payers can type `*` and `#` as inputs. The reply echoes three fields.
 */
export const arkesel: Aggregator = describe(
  {
    name: 'arkesel',
    title: 'Arkesel',
    method: 'POST',
    style: { alphabet: 'gsm', limit: 160, lineBreak: '\n', forbidden: '' },
    replyWithinMs: 4_000,
    sequenced: false,
    promptDelayMs: 0,
  },
  {
    session: ['sessionID'],
    number: ['msisdn'],
    operator: ['network'],
    input: ['userData'],
    kind: { field: ['newSession'], first: ['true'], flag: true },
    reply: {
      contentType: 'application/json',
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
);
