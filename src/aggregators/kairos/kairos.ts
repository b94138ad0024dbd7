import { z } from 'zod';
import type { AggregatorEntry } from '../aggregator.ts';
import { describeWith } from '../description/describe.ts';
import { createJsonPost, readJsonAnswer, readScreen } from '../simulated-aggregator.ts';

const messageType = z
  .string('expected a message type in quotes, such as "0"')
  .regex(/^[A-Za-z0-9_-]{1,16}$/, 'expected 1 to 16 letters, digits, - or _');

/** The document shows type 0 in replies with a menu. It does not define the type that ends a session. */
const settings = z
  .strictObject({ continueValue: messageType.default('0'), endValue: messageType.default('2') })
  .refine(({ continueValue, endValue }) => continueValue !== endValue, {
    path: ['endValue'],
    message: 'expected another value than continueValue',
  });

const reply = (type: string) => ({
  sessionId: '{sessionId}',
  msisdn: '{msisdn}',
  ussdString: '{text}',
  timestamp: '{at}',
  messageType: type,
});

/**
 * Kairos Afrika: JSON with the whole dialled string on the first request, then the last input. In its document, later
 * requests have the message type of the first one, so the text of the input decides. It names no network.
 */
export const kairos: AggregatorEntry = {
  aggregator: describeWith(
    { name: 'kairos', title: 'Kairos Afrika', replyWithinMs: 8_000 },
    settings,
    ({ continueValue, endValue }) => ({
      session: ['sessionId'],
      number: ['msisdn'],
      input: ['ussdString'],
      kind: { field: ['messageType'], first: ['0'], firstNeedsDial: true },
      reply: { continue: reply(continueValue), end: reply(endValue) },
    }),
  ),
  demoCode: '*889*5#',
  /**
   * Requests are JSON with the dialled string, then the last input, all of message type "0" and without a network. The
   * channel's settings define the message types of replies that continue and that end.
   */
  simulated: {
    request: (dial, typed) =>
      createJsonPost({
        msisdn: dial.msisdn,
        sessionId: dial.session,
        messageType: '0',
        ussdString: typed.at(-1) ?? dial.dialled,
      }),

    read(contentType, body, dial) {
      const reply = readJsonAnswer(contentType, body);
      if (reply?.sessionId !== dial.session || reply.msisdn !== dial.msisdn) return undefined;
      if (typeof reply.timestamp !== 'string' || reply.timestamp === '') return undefined;
      const { continueValue = '0', endValue = '2' } = dial.settings ?? {};
      return readScreen(reply.ussdString, reply.messageType, continueValue, endValue);
    },
  },
};
