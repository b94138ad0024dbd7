import type { AggregatorEntry } from '../aggregator.ts';
import { describe } from '../description/describe.ts';
import type { Template } from '../description/template.ts';
import {
  createJsonPost,
  type Dial,
  type NetworkCodes,
  readJsonAnswer,
  readScreen,
} from '../simulated-aggregator.ts';

const reply = (command: 'continue' | 'terminate'): Template => ({
  msisdn: '{msisdn}',
  operator: '{operator}',
  session_id: '{session_id}',
  command,
  payload: { request_id: '{payload.request_id}', request: '{text}' },
});

const networks: NetworkCodes = {
  mtn: 'mtn',
  telecel: 'vodafone',
  at: 'airteltigo',
  glo: 'glo',
  unknown: 'unknown',
};

function request(command: string, dial: Dial, typed: readonly string[], response: string) {
  return createJsonPost({
    command,
    msisdn: dial.msisdn,
    operator: networks[dial.operator],
    session_id: dial.session,
    payload: { request_id: typed.length, response },
  });
}

/**
 * Beem Africa: input and text are in `payload`. `command` is the kind of the request; `terminate` is an end notice. It is
 * not confirmed whether a repeat keeps its `request_id`, so the reply echoes it and it marks no repeat.
 */
export const beem: AggregatorEntry = {
  aggregator: describe(
    { name: 'beem', title: 'Beem Africa' },
    {
      session: ['session_id'],
      number: ['msisdn'],
      operator: ['operator'],
      input: ['payload.response'],
      kind: { field: ['command'], first: ['initiate'], ended: { terminate: 'ended' } },
      reply: { continue: reply('continue'), end: reply('terminate') },
    },
  ),
  demoCode: '*149*5#',
  /**
   * Requests are JSON with the last input in `payload`. The first `response` is empty. The place of a dialled suffix is not
   * documented; here the first `response` contains the whole direct-dial string.
   */
  simulated: {
    request(dial, typed) {
      const dialled = dial.dialled === dial.serviceCode ? '' : dial.dialled;
      return request(typed.length === 0 ? 'initiate' : 'continue', dial, typed, typed.at(-1) ?? dialled);
    },

    endNotice: (dial, typed) => request('terminate', dial, typed, ''),

    read(contentType, body, dial) {
      const reply = readJsonAnswer(contentType, body);
      const { request_id, request: text } = Object(reply?.payload) as Record<string, unknown>;
      const isExpected =
        reply?.session_id === dial.session &&
        reply.msisdn === dial.msisdn &&
        reply.operator === networks[dial.operator] &&
        Number.isInteger(request_id);
      return isExpected ? readScreen(text, reply.command, 'continue', 'terminate') : undefined;
    },
  },
};
