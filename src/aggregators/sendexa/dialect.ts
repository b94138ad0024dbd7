import type { Aggregator } from '../aggregator.ts';
import { describe } from '../description/describe.ts';

/**
 * Sendexa: JSON with `type` new or continue. The first `input` is null, so a dialled suffix can only be part of the service
 * code (not confirmed). The summary of a finished session is accepted too, although it has a URL of its own.
 */
export const sendexa: Aggregator = describe(
  {
    name: 'sendexa',
    title: 'Sendexa',
    method: 'POST',
    // The document requires less than 160 characters.
    style: { alphabet: 'gsm', limit: 159, lineBreak: '\n', forbidden: '' },
    replyWithinMs: 4_000,
    sequenced: false,
    promptDelayMs: 0,
  },
  {
    session: ['sessionId', 'data.sessionId'],
    number: ['phone'],
    operator: ['network'],
    input: ['input'],
    dialled: ['input', 'serviceCode'],
    kind: {
      field: ['type', 'event'],
      first: ['new'],
      // Only the summary is documented.
      ended: {
        'ussd.session.completed': 'ended',
        end: 'ended',
        timeout: 'timeout',
        cancel: 'cancelled',
      },
    },
    reply: {
      contentType: 'application/json',
      continue: { message: '{text}', shouldClose: false },
      end: { message: '{text}', shouldClose: true },
    },
  },
);
