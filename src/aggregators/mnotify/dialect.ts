import type { Aggregator } from '../aggregator.ts';
import { describe } from '../description/describe.ts';

/** Returns a reply. `continueFlag` is 0 to continue and 1 to end. */
const reply = (continueFlag: 0 | 1) => ({
  msisdn: '{msisdn}',
  sequenceID: '{sequenceID}',
  message: '{text}',
  timestamp: '{timestamp}',
  continueFlag,
});

/**
 * mNotify: no field marks the first request, so the service code in `data`, or an empty `data`, opens a session. The session id is
 * unique only together with the number. Requests of a dedicated code have other names; their reply is not documented.
 */
export const mnotify: Aggregator = describe(
  {
    name: 'mnotify',
    title: 'mNotify',
    method: 'POST',
    style: { alphabet: 'gsm', limit: 160, lineBreak: '\r\n', forbidden: '' },
    replyWithinMs: 4_000,
    sequenced: false,
    promptDelayMs: 0,
  },
  {
    session: ['sequenceID', 'sessId'],
    number: ['msisdn'],
    input: ['data', 'text'],
    reply: { contentType: 'application/json', continue: reply(0), end: reply(1) },
  },
);
