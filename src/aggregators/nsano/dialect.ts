import type { Aggregator } from '../aggregator.ts';
import { describe } from '../description/describe.ts';

/**
 * Nsano: no field marks the first request, so a dialled string opens a session. In a reply, `input` continues and `prompt`
 * ends. Older projects receive no session id; the number of the dialler replaces it.
 */
export const nsano: Aggregator = describe(
  {
    name: 'nsano',
    title: 'Nsano',
    method: 'POST',
    style: { alphabet: 'gsm', limit: 160, lineBreak: '\n', forbidden: '' },
    replyWithinMs: 4_000,
    sequenced: false,
    promptDelayMs: 0,
  },
  {
    session: ['UserSessionID'],
    numberAsSession: true,
    number: ['msisdn'],
    operator: ['network'],
    input: ['msg'],
    reply: {
      contentType: 'application/json',
      continue: { USSDResp: { action: 'input', menus: '', title: '{text}' } },
      end: { USSDResp: { action: 'prompt', menus: '', title: '{text}' } },
    },
  },
);
