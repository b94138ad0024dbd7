import type { Aggregator } from '../aggregator.ts';
import { describe } from '../description/describe.ts';

/**
 * Arkesel: JSON with the whole dialled string on the first request, then the last input alone. `newSession` says
 * which it is, so that a payer may type `*` and `#` too. Three fields go back as they came.
 */
export const aggregator: Aggregator = describe(
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
