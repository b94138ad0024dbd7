import type { Aggregator } from '../aggregator.ts';
import { describe } from '../description/describe.ts';

/**
 * Nsano: nothing says which request is the first, so a dialled string opens a session. In a reply `input` goes on
 * and `prompt` ends. Older projects get no session id: the number stands in for it.
 */
export const aggregator: Aggregator = describe(
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
