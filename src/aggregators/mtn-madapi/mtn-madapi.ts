import { z } from 'zod';
import type { AggregatorEntry } from '../aggregator.ts';
import { describe } from '../description/describe.ts';
import { createJsonPost, type Dial, readJsonAnswer } from '../simulated-aggregator.ts';

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

const envelope = z.object({
  statusCode: z.literal('0000'),
  statusMessage: z.string(),
  transactionId: z.string(),
  data: z.object({
    inboundResponse: z.string(),
    userInputRequired: z.boolean(),
    messageType: z.int(),
    serviceCode: z.string(),
    msisdn: z.string(),
  }),
  _link: z.object({ self: z.object({ href: z.string() }) }),
});

const message = (dial: Dial, messageType: string, ussdString: string) =>
  createJsonPost({
    sessionId: dial.session,
    messageType,
    msisdn: dial.msisdn,
    serviceCode: dial.serviceCode,
    ussdString,
    language: 'en',
  });

/**
 * MTN's own gateway (MADAPI): JSON with a numbered `messageType`, which distinguishes end, cancel and timeout. A
 * notification needs no screen and changes nothing, like a probe; its answer has no text.
 */
export const mtnMadapi: AggregatorEntry = {
  aggregator: describe(
    { name: 'mtn-madapi', title: 'MTN MADAPI' },
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
        continue: reply('{text}', true),
        end: reply('{text}', false),
        probe: { alive: withoutText, over: withoutText },
      },
    },
  ),
  demoCode: '*1234*5#',
  /** Requests are JSON with the dialled string, then the last input; `userInputRequired` of the reply decides whether to continue. */
  simulated: {
    request(dial, typed) {
      const input = typed.at(-1);
      return input === undefined ? message(dial, '0', dial.dialled) : message(dial, '1', input);
    },

    endNotice: (dial) => message(dial, '4', 'User cancelled'),

    read(contentType, body, dial) {
      const reply = envelope.safeParse(readJsonAnswer(contentType, body));
      if (!reply.success) return undefined;
      const { inboundResponse: text, userInputRequired, messageType, serviceCode, msisdn } = reply.data.data;
      if (serviceCode !== dial.serviceCode || msisdn !== dial.msisdn) return undefined;
      if (messageType !== (userInputRequired ? 1 : 2)) return undefined;
      return { kind: userInputRequired ? 'continue' : 'end', text };
    },
  },
};
