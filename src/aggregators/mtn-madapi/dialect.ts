import type { Aggregator } from '../aggregator.ts';
import { describe } from '../description/describe.ts';

/** A reply in MADAPI's envelope. It asks for an identifier of the exchange and a link: we have none but the session. */
const reply = (text: string, goesOn: boolean) => ({
  statusCode: '0000',
  statusMessage: 'OK',
  transactionId: '{sessionId}',
  data: {
    inboundResponse: text,
    userInputRequired: goesOn,
    messageType: goesOn ? 1 : 2,
    serviceCode: '{serviceCode}',
    msisdn: '{msisdn}',
  },
  _link: { self: { href: '' } },
});

const silent = reply('', false);

/**
 * MTN's own gateway (MADAPI): JSON with a numbered `messageType`, which tells an end, a cancel and a time-out apart. A
 * notification asks for no screen and changes nothing, like a probe; it is answered without a text.
 */
export const aggregator: Aggregator = describe(
  {
    name: 'mtn-madapi',
    title: 'MTN MADAPI',
    method: 'POST',
    style: { alphabet: 'gsm', limit: 160, lineBreak: '\n', forbidden: '' },
    replyWithinMs: 4_000,
    sequenced: false,
    promptDelayMs: 0,
  },
  {
    session: ['sessionId'],
    number: ['msisdn'],
    // No request names the network: only MTN's own payers come this way.
    operators: { '': 'mtn' },
    input: ['ussdString'],
    kind: {
      field: ['messageType'],
      first: ['0'],
      ended: { '2': 'ended', '4': 'cancelled', '5': 'timeout' },
      probe: ['3'],
    },
    reply: {
      contentType: 'application/json',
      continue: reply('{text}', true),
      end: reply('{text}', false),
      probe: { alive: silent, over: silent },
    },
  },
);
