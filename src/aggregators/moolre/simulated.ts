import type { Operator } from '../../shared/msisdn.ts';
import { dialledSuffix } from '../dial-string.ts';
import { createPost, readJsonAnswer, readScreen, type SimulatedAggregator } from '../simulated-aggregator.ts';

/** No number for Glo is documented, so its name is used. */
const networks: Readonly<Record<Operator, number | string>> = {
  mtn: 3,
  telecel: 6,
  at: 5,
  glo: 'GLO',
  unknown: 0,
};

/** Returns the merchant's part of a shared code: 109 of `*203*109#`. */
function toExtension(serviceCode: string): number {
  return Number(serviceCode.replace(/#$/, '').split('*').at(-1));
}

/**
 * Requests are forms whose only key is JSON, like live traffic; `data` is the dialled suffix. `reply` of the reply
 * decides whether to continue.
 */
export const simulatedMoolre: SimulatedAggregator = {
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

  read(contentType, body) {
    const reply = readJsonAnswer(contentType, body);
    return readScreen(reply?.message, reply?.reply, true, false);
  },
};
