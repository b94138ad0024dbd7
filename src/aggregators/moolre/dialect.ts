import type { Aggregator } from '../aggregator.ts';
import { describe } from '../description/describe.ts';

/**
 * Moolre: JSON, which live traffic can also send as the only key of a form. `data` contains the dialled suffix without the
 * merchant's extension; `message` is the last input. `reply` true in a reply continues the session. Moolre's payment
 * interface accepts the session id.
 */
export const moolre: Aggregator = describe(
  {
    name: 'moolre',
    title: 'Moolre',
    method: 'POST',
    style: { alphabet: 'gsm', limit: 160, lineBreak: '\n', forbidden: '' },
    replyWithinMs: 4_000,
    sequenced: false,
    promptDelayMs: 0,
  },
  {
    session: ['sessionid'],
    number: ['msisdn'],
    operator: ['network'],
    // Moolre's own numbers, not the network codes of Ghana.
    operators: { '3': 'mtn', '5': 'at', '6': 'telecel' },
    input: ['message'],
    kind: { field: ['new'], first: ['true'], flag: true },
    suffix: ['data'],
    ussdRef: ['sessionid'],
    reply: {
      contentType: 'application/json',
      continue: { message: '{text}', reply: true },
      end: { message: '{text}', reply: false },
    },
  },
);
