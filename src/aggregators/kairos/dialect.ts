import { z } from 'zod';
import type { Aggregator, AggregatorFacts } from '../aggregator.ts';
import { describeWith } from '../description/describe.ts';

const facts: AggregatorFacts = {
  name: 'kairos',
  title: 'Kairos Afrika',
  method: 'POST',
  style: { alphabet: 'gsm', limit: 160, lineBreak: '\n', forbidden: '' },
  replyWithinMs: 8_000,
  sequenced: false,
  promptDelayMs: 0,
};

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
export const kairos: Aggregator = describeWith(facts, settings, ({ continueValue, endValue }) => ({
  session: ['sessionId'],
  number: ['msisdn'],
  input: ['ussdString'],
  kind: { field: ['messageType'], first: ['0'], firstNeedsDial: true },
  reply: {
    contentType: 'application/json',
    continue: reply(continueValue),
    end: reply(endValue),
  },
}));
