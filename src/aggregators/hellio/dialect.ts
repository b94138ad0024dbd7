import { cumulativeForm } from '../africastalking/dialect.ts';
import type { Aggregator } from '../aggregator.ts';
import { describe } from '../description/describe.ts';

/** Hellio Messaging: Africa's Talking's fields, cumulative `text` and plain-text replies, but sent as JSON. */
export const aggregator: Aggregator = describe(
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
