import type { AggregatorEntry } from '../aggregator.ts';
import { describe } from '../description/describe.ts';
import { dialledSuffix } from '../dial-string.ts';
import { createPost, type NetworkCodes, readJsonScreen } from '../simulated-aggregator.ts';

/** No number for Glo is documented, so its name is used. */
const networks: NetworkCodes<number | string> = { mtn: 3, telecel: 6, at: 5, glo: 'GLO', unknown: 0 };

/** Returns the merchant's part of a shared code: 109 of `*203*109#`. */
function toExtension(serviceCode: string): number {
  return Number(serviceCode.replace(/#$/, '').split('*').at(-1));
}

/**
 * Moolre: JSON, which live traffic can also send as the only key of a form. `data` contains the dialled suffix without the
 * merchant's extension; `message` is the last input. `reply` true in a reply continues the session. Moolre's payment
 * interface accepts the session id.
 */
export const moolre: AggregatorEntry = {
  aggregator: describe(
    { name: 'moolre', title: 'Moolre' },
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
      reply: { continue: { message: '{text}', reply: true }, end: { message: '{text}', reply: false } },
    },
  ),
  demoCode: '*203*5#',
  /**
   * Requests are forms whose only key is JSON, like live traffic; `data` is the dialled suffix. `reply` of the reply
   * decides whether to continue.
   */
  simulated: {
    request(dial, typed) {
      const first = typed.length === 0;
      const fields = {
        sessionid: dial.session,
        new: first,
        msisdn: dial.msisdn,
        network: networks[dial.operator],
        message: typed.at(-1) ?? '',
        extension: toExtension(dial.serviceCode),
        data: first ? (dialledSuffix(dial.dialled, dial.serviceCode) ?? []).join('*') : '',
      };
      const form = new URLSearchParams({ [JSON.stringify(fields)]: '' });
      return createPost('application/x-www-form-urlencoded', form.toString());
    },

    read: readJsonScreen('message', 'reply', [true, false]),
  },
};
