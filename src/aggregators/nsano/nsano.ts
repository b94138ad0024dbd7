import { mapOrEmpty } from '../../shared/json.ts';
import type { AggregatorEntry } from '../aggregator.ts';
import { describe } from '../description/describe.ts';
import { createJsonPost, networkNames, readJsonAnswer, readScreen } from '../simulated-aggregator.ts';

/**
 * Nsano: no field marks the first request, so a dialled string opens a session. In a reply, `input` continues and `prompt`
 * ends. Older projects receive no session id; the number of the dialler replaces it.
 */
export const nsano: AggregatorEntry = {
  aggregator: describe(
    { name: 'nsano', title: 'Nsano' },
    {
      session: ['UserSessionID'],
      numberAsSession: true,
      number: ['msisdn'],
      operator: ['network'],
      input: ['msg'],
      reply: {
        continue: { USSDResp: { action: 'input', menus: '', title: '{text}' } },
        end: { USSDResp: { action: 'prompt', menus: '', title: '{text}' } },
      },
    },
  ),
  demoCode: '*447*5#',
  /** Requests are JSON with the dialled string, then the last input; the reply contains the screen in `USSDResp`. */
  simulated: {
    request: (dial, typed) =>
      createJsonPost({
        UserSessionID: dial.session,
        msisdn: dial.msisdn,
        network: networkNames[dial.operator],
        msg: typed.at(-1) ?? dial.dialled,
      }),

    read(contentType, body) {
      const reply = readJsonAnswer(contentType, body)?.USSDResp;
      const { action, menus, title } = mapOrEmpty(reply);
      return menus === '' ? readScreen(title, action, 'input', 'prompt') : undefined;
    },
  },
};
