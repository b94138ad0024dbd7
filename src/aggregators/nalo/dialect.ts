import type { Aggregator } from '../aggregator.ts';
import { describe } from '../description/describe.ts';

/**
 * Nalo Solutions: JSON with the whole dialled string on the first request, then the last input. `MSGTYPE` true in a reply
 * continues the session. Older requests have no session id; the number of the dialler replaces it.
 */
export const nalo: Aggregator = describe(
  {
    name: 'nalo',
    title: 'Nalo Solutions',
    method: 'POST',
    style: { alphabet: 'gsm', limit: 120, lineBreak: '\n', forbidden: '' },
    replyWithinMs: 4_000,
    sequenced: false,
    promptDelayMs: 2_000,
  },
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
      contentType: 'application/json',
      continue: { USERID: '{USERID}', MSISDN: '{MSISDN}', MSG: '{text}', MSGTYPE: true },
      end: { USERID: '{USERID}', MSISDN: '{MSISDN}', MSG: '{text}', MSGTYPE: false },
    },
  },
);
