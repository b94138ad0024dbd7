import type { Aggregator } from '../aggregator.ts';
import { describe } from '../description/describe.ts';
import type { Template } from '../description/template.ts';

const reply = (command: 'continue' | 'terminate'): Template => ({
  msisdn: '{msisdn}',
  operator: '{operator}',
  session_id: '{session_id}',
  command,
  payload: { request_id: '{payload.request_id}', request: '{text}' },
});

/**
 * Beem Africa: input and text are in `payload`. `command` is the kind of the request; `terminate` is an end notice. It is
 * not confirmed whether a repeat keeps its `request_id`, so the reply echoes it and it marks no repeat.
 */
export const beem: Aggregator = describe(
  {
    name: 'beem',
    title: 'Beem Africa',
    method: 'POST',
    style: { alphabet: 'gsm', limit: 160, lineBreak: '\n', forbidden: '' },
    replyWithinMs: 4_000,
    sequenced: false,
    promptDelayMs: 0,
  },
  {
    session: ['session_id'],
    number: ['msisdn'],
    operator: ['operator'],
    input: ['payload.response'],
    kind: { field: ['command'], first: ['initiate'], ended: { terminate: 'ended' } },
    reply: { contentType: 'application/json', continue: reply('continue'), end: reply('terminate') },
  },
);
