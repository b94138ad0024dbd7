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
 * Beem Africa: input and text are within `payload`. `command` says what a request is, and `terminate` may also come
 * as a notice. Whether a repeat keeps its `request_id` is not known, so it is sent back and tells nothing.
 */
export const aggregator: Aggregator = describe(
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
