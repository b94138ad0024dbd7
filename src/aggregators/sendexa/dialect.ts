import type { Aggregator } from '../aggregator.ts';
import { describe } from '../description/describe.ts';

/**
 * Sendexa: JSON, `type` says new or continue, and the first `input` is null. What was dialled along can then only
 * stand in the service code; that it does is a guess. A summary of a finished session, meant for another address,
 * is understood here too.
 */
export const aggregator: Aggregator = describe(
  {
    name: 'sendexa',
    title: 'Sendexa',
    method: 'POST',
    // Its rule is "under 160".
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
      // Only the summary is in writing.
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
