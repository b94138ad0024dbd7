import { z } from 'zod';
import type { Aggregator, AggregatorFacts } from '../aggregator.ts';
import { describeWith } from '../description/describe.ts';
import type { Description } from '../description/description.ts';

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
 * The requests of Hubtel, which other aggregators have adopted. The first message is the whole dialled string; the service
 * code has no `*` and `#`, and often no sub-code. Requests of Hubtel's app have no dialled string.
 */
export const hubtelRequest: Omit<Description, 'reply'> = {
  session: ['SessionId'],
  number: ['Mobile'],
  operator: ['Operator'],
  input: ['Message'],
  mark: ['Sequence'],
  kind: {
    field: ['Type'],
    // A favourite opens a session too. The answers that it has stored from an earlier session are ignored.
    first: ['initiation', 'favorite'],
    ended: { timeout: 'timeout', release: 'cancelled' },
  },
};

const settings = z.strictObject({
  /** The title above a screen in Hubtel's app and web shop. Hubtel requires it. */
  label: z
    .string('expected a short title')
    .regex(/^[A-Za-z0-9 .,:()&'-]{1,40}$/, 'expected 1 to 40 unaccented letters, digits and blanks')
    .default('Payment'),
});

/**
 * Hubtel Programmable Services: JSON with the last input and its number in the session. The reply also defines how the
 * app and the web shop show it.
 */
export const hubtel: Aggregator = describeWith(facts, settings, ({ label: Label }) => ({
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
