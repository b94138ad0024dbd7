import type { Aggregator } from '../aggregator.ts';
import { describe } from '../description/describe.ts';

/** Returns a reply in MADAPI's envelope. The transaction id is the session id, and the link is empty. */
const reply = (text: string, continues: boolean) => ({
  statusCode: '0000',
  statusMessage: 'OK',
  transactionId: '{sessionId}',
  data: {
    inboundResponse: text,
    userInputRequired: continues,
    messageType: continues ? 1 : 2,
    serviceCode: '{serviceCode}',
    msisdn: '{msisdn}',
  },
  _link: { self: { href: '' } },
});

const withoutText = reply('', false);

/**
 * MTN's own gateway (MADAPI): JSON with a numbered `messageType`, which distinguishes end, cancel and timeout. A
 * notification needs no screen and changes nothing, like a probe; its answer has no text.
 */
export const mtnMadapi: Aggregator = describe(
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
    // Requests name no network, because all payers are on MTN.
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
      probe: { alive: withoutText, over: withoutText },
    },
  },
);
