import { z } from 'zod';
import type { Aggregator } from '../aggregator.ts';
import { describeWith } from '../description/describe.ts';

const settings = z.strictObject({
  /** Whether `msg_type` in a reply is the text "1" or the number 1. */
  messageType: z.enum(['text', 'number'], { error: 'expected text or number' }).default('text'),
});

/**
 * Orchard of AppsNmobile: JSON or a form with `msg_type` 0 for a dial and 1 for an input. The reply is the same object as
 * JSON, with the screen in `ussd_body` and with `msg_type` 1 to continue or 2 to end.
 */
export const orchard: Aggregator = describeWith(
  {
    name: 'orchard',
    title: 'Orchard (AppsNmobile)',
    method: 'POST',
    style: { alphabet: 'gsm', limit: 160, lineBreak: '\n', forbidden: '' },
    replyWithinMs: 4_000,
    sequenced: false,
    promptDelayMs: 0,
  },
  settings,
  ({ messageType }) => {
    const getMessageType = (type: number) => (messageType === 'text' ? String(type) : type);
    return {
      session: ['session_id'],
      number: ['msisdn'],
      operator: ['nw_code'],
      // Only these two are known. A channel can add the codes that it receives.
      operators: { '01': 'mtn', '02': 'telecel' },
      input: ['ussd_body'],
      kind: { field: ['msg_type'], first: ['0'], ended: { '2': 'ended' } },
      reply: {
        contentType: 'application/json',
        echo: true,
        continue: { msg_type: getMessageType(1), ussd_body: '{text}' },
        end: { msg_type: getMessageType(2), ussd_body: '{text}' },
      },
    };
  },
);
