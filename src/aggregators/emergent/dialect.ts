import type { Aggregator } from '../aggregator.ts';
import { describe } from '../description/describe.ts';
import { hubtelRequest } from '../hubtel/dialect.ts';

/**
 * Emergent Technology, and the gateways called "cross-switch": Hubtel's request with a shorter reply. Some send the
 * service code as `USERID`; it is not used, because the message contains the dialled string. Hubtel's end notices are
 * accepted, although it is not confirmed that they are sent.
 */
export const emergent: Aggregator = describe(
  {
    name: 'emergent',
    title: 'Emergent Technology',
    method: 'POST',
    style: { alphabet: 'gsm', limit: 160, lineBreak: '\n', forbidden: '' },
    replyWithinMs: 4_000,
    sequenced: true,
    promptDelayMs: 0,
  },
  {
    ...hubtelRequest,
    reply: {
      contentType: 'application/json',
      continue: { Type: 'Response', Message: '{text}', MaskNextRoute: true },
      end: { Type: 'Release', Message: '{text}' },
    },
  },
);
