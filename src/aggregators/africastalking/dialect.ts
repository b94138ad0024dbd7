import type { Aggregator, AggregatorFacts } from '../aggregator.ts';
import { describe } from '../description/describe.ts';
import type { Description } from '../description/description.ts';

const facts: AggregatorFacts = {
  name: 'africastalking',
  title: "Africa's Talking",
  method: 'POST',
  style: { alphabet: 'gsm', limit: 182, lineBreak: '\n', forbidden: '' },
  replyWithinMs: 10_000,
  sequenced: true,
  promptDelayMs: 0,
};

/**
 * A form with cumulative `text`, answered by plain text that starts with `CON ` or `END `. The first request's `text`
 * contains the dialled suffix without the service code. The end notification, which can use the same URL, has a
 * `status`.
 */
const cumulativeForm: Description = {
  session: ['sessionId'],
  number: ['phoneNumber'],
  operator: ['networkCode'],
  // The sandbox. Other codes are mobile country code 620 and network code, as `operatorByName` reads them.
  operators: { '99999': 'unknown' },
  input: ['text'],
  cumulative: 'answers',
  kind: {
    field: ['status'],
    first: [],
    ended: { success: 'completed', failed: 'failed', incomplete: 'cancelled' },
    other: 'ended',
  },
  reply: { contentType: 'text/plain; charset=utf-8', continue: 'CON {text}', end: 'END {text}' },
};

export const africastalking: Aggregator = describe(facts, cumulativeForm);

/** Hellio Messaging: the fields, the cumulative `text` and the plain-text replies of Africa's Talking. Requests are JSON. */
export const hellio: Aggregator = describe(
  {
    name: 'hellio',
    title: 'Hellio Messaging',
    method: 'POST',
    style: { alphabet: 'gsm', limit: 182, lineBreak: '\n', forbidden: '' },
    replyWithinMs: 4_000,
    sequenced: true,
    promptDelayMs: 0,
  },
  cumulativeForm,
);
