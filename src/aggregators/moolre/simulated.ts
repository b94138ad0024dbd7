import type { Operator } from '../../shared/msisdn.ts';
import { dialledSuffix } from '../dial-string.ts';
import { createPost, readJson, readScreen, type SimulatedAggregator } from '../simulated-aggregator.ts';

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
export const simulated: SimulatedAggregator = {
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
    return createPost('application/x-www-form-urlencoded', form.toString());
  },

  read(contentType, body) {
    const reply = readJson(contentType, body);
    return readScreen(reply?.message, reply?.reply, true, false);
  },
};
