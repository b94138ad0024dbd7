import { z } from 'zod';
import type { Aggregator, AggregatorFacts } from '../aggregator.ts';
import { type Description, describeWith } from '../description/describe.ts';

const facts: AggregatorFacts = {
  name: 'hubtel',
  title: 'Hubtel',
  method: 'POST',
  style: { alphabet: 'gsm', limit: 160, lineBreak: '\n', forbidden: '' },
  replyWithinMs: 4_000,
  sequenced: true,
  promptDelayMs: 0,
};

/**
 * What Hubtel's requests say; others have copied them. The whole dialled string is the first message: the service
 * code beside it comes without its signs, and often without the sub-code. In Hubtel's app nothing is dialled.
 */
export const hubtelRequest: Omit<Description, 'reply'> = {
  session: ['SessionId'],
  number: ['Mobile'],
  operator: ['Operator'],
  input: ['Message'],
  mark: ['Sequence'],
  kind: {
    field: ['Type'],
    // A favourite opens a session too, with answers kept from an earlier one, which are not taken over.
    first: ['initiation', 'favorite'],
    ended: { timeout: 'timeout', release: 'cancelled' },
  },
};

const settings = z.strictObject({
  /** The title that Hubtel's app and web show above a screen; it must not be missing. */
  label: z
    .string('expected a short title')
    .regex(/^[A-Za-z0-9 .,:()&'-]{1,40}$/, 'expected 1 to 40 plain letters, digits and blanks')
    .default('Payment'),
});

/**
 * Hubtel Programmable Services: JSON with the last input and its number in the session. A reply also says how the
 * app and the web show it.
 */
export const aggregator: Aggregator = describeWith(facts, settings, ({ label: Label }) => ({
  ...hubtelRequest,
  reply: {
    contentType: 'application/json',
    continue: {
      SessionId: '{SessionId}',
      Type: 'response',
      Message: '{text}',
      Label,
      DataType: 'input',
      FieldType: 'text',
    },
    end: {
      SessionId: '{SessionId}',
      Type: 'release',
      Message: '{text}',
      Label,
      DataType: 'display',
      FieldType: 'text',
    },
  },
}));
