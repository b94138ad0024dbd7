import type { AggregatorEntry } from '../aggregator.ts';
import { describe } from '../description/describe.ts';
import type { Template } from '../description/template.ts';
import { createJsonPost, type NetworkCodes, readJsonAnswer, readScreen } from '../simulated-aggregator.ts';

const reply = (state: 'CONTINUE' | 'END'): Template => ({
  message: '{text}',
  state,
  menuId: '{menuId}',
  ussdString: '{ussdString}',
  option: '{inputOption}',
  ussdParameter: '',
});

const networks: NetworkCodes = {
  mtn: 'MTN',
  telecel: 'Vodafone',
  at: 'AirtelTigo',
  glo: 'Glo',
  unknown: 'Unknown',
};

const menuId = 'm-501';

/** SouthPawsl: every request of a session contains the dialled string in `ussdString`. The first request has it as the input too. */
export const southpawsl: AggregatorEntry = {
  aggregator: describe(
    { name: 'southpawsl', title: 'SouthPawsl' },
    {
      session: ['sessionId'],
      number: ['msisdn'],
      operator: ['network'],
      input: ['inputOption'],
      dialled: ['ussdString'],
      kind: { field: ['inputOption'], first: [], firstIfSame: ['ussdString'] },
      reply: { continue: reply('CONTINUE'), end: reply('END') },
    },
  ),
  demoCode: '*755*5#',
  /** Requests are JSON with the dialled string; the first one has it as the input too. */
  simulated: {
    request: (dial, typed) =>
      createJsonPost({
        sessionId: dial.session,
        menuId,
        ussdState: typed.length === 0 ? '' : 'CONTINUE',
        ussdString: dial.dialled,
        ussdParameters: [],
        possibleAnswers: '',
        msisdn: dial.msisdn,
        inputOption: typed.at(-1) ?? dial.dialled,
        network: networks[dial.operator],
      }),

    read(contentType, body, dial) {
      const reply = readJsonAnswer(contentType, body);
      const hasEcho = reply?.menuId === menuId && reply.ussdString === dial.dialled;
      const isComplete = typeof reply?.option === 'string' && reply.ussdParameter === '';
      return hasEcho && isComplete ? readScreen(reply.message, reply.state, 'CONTINUE', 'END') : undefined;
    },
  },
};
