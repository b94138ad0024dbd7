import type { Aggregator } from '../aggregator.ts';
import { describe } from '../description/describe.ts';

/**
 * Nalo Solutions: JSON in upper-case names, only the last input, the whole dialled string on the first request. In
 * a reply `MSGTYPE` true means "go on". Older payloads bring no session id: the number stands in for it.
 */
export const aggregator: Aggregator = describe(
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
      // `MSGTYPE` true was also seen on later requests; 2 is said to be a notice.
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
