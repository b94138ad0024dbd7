import type { Aggregator } from '../aggregator.ts';
import { describe } from '../description/describe.ts';
import type { Template } from '../description/template.ts';

const reply = (state: 'CONTINUE' | 'END'): Template => ({
  message: '{text}',
  state,
  menuId: '{menuId}',
  ussdString: '{ussdString}',
  option: '{inputOption}',
  ussdParameter: '',
});

/**
 * SouthPawsl: every request of a session contains the dialled string in `ussdString`. The first request has it as the
 * input too.
 */
export const southpawsl: Aggregator = describe(
  {
    name: 'southpawsl',
    title: 'SouthPawsl',
    method: 'POST',
    style: { alphabet: 'gsm', limit: 160, lineBreak: '\n', forbidden: '' },
    replyWithinMs: 4_000,
    sequenced: false,
    promptDelayMs: 0,
  },
  {
    session: ['sessionId'],
    number: ['msisdn'],
    operator: ['network'],
    input: ['inputOption'],
    dialled: ['inputOption', 'ussdString'],
    kind: { field: ['inputOption'], first: [], firstIfSame: ['ussdString'] },
    reply: { contentType: 'application/json', continue: reply('CONTINUE'), end: reply('END') },
  },
);
