import type { Operator } from '../../shared/msisdn.ts';
import { createJsonPost, readJson, readScreen, type SimulatedAggregator } from '../simulated-aggregator.ts';

const networks: Readonly<Record<Operator, string>> = {
  mtn: 'MTN',
  telecel: 'Vodafone',
  at: 'AirtelTigo',
  glo: 'Glo',
  unknown: 'Unknown',
};

const menuId = 'm-501';

/** JSON that repeats the dialled string on every request; the first brings it as the input too. */
export const simulated: SimulatedAggregator = {
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
    const reply = readJson(contentType, body);
    const known = reply?.menuId === menuId && reply.ussdString === dial.dialled;
    const whole = typeof reply?.option === 'string' && reply.ussdParameter === '';
    return known && whole ? readScreen(reply.message, reply.state, 'CONTINUE', 'END') : undefined;
  },
};
