import { cumulativeForm } from '../africastalking/dialect.ts';
import type { Aggregator } from '../aggregator.ts';
import { describe } from '../description/describe.ts';

/** Hellio Messaging: the fields, the cumulative `text` and the plain-text replies of Africa's Talking. Requests are JSON. */
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
