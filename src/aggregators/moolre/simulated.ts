import type { Operator } from '../../shared/msisdn.ts';
import { dialledSuffix } from '../dialled.ts';
import { post, readJson, screenOf, type Wire } from '../simulated.ts';

/** A number for Glo is not in writing: its name stands in. */
const networks: Readonly<Record<Operator, number | string>> = {
  mtn: 3,
  telecel: 6,
  at: 5,
  glo: 'GLO',
  unknown: 0,
};

/** The merchant's own part of a shared code: 109 of `*203*109#`. */
function extensionOf(serviceCode: string): number {
  return Number(serviceCode.replace(/#$/, '').split('*').at(-1));
}

/**
 * A form whose only key is JSON, as live traffic has it; the answers dialled along come without the code. A reply's
 * `reply` says whether to go on.
 */
export const moolre: Wire = {
  request(dial, typed) {
    const first = typed.length === 0;
    const fields = {
      sessionid: dial.session,
      new: first,
      msisdn: dial.msisdn,
      network: networks[dial.operator],
      message: typed.at(-1) ?? '',
      extension: extensionOf(dial.serviceCode),
      data: first ? (dialledSuffix(dial.dialled, dial.serviceCode) ?? []).join('*') : '',
    };
    const form = new URLSearchParams({ [JSON.stringify(fields)]: '' });
    return post('application/x-www-form-urlencoded', form.toString());
  },

  read(contentType, body) {
    const reply = readJson(contentType, body);
    return screenOf(reply?.message, reply?.reply, true, false);
  },
};
