import type { Operator } from '../../shared/msisdn.ts';
import { postJson, readJson, screenOf, type Wire } from '../simulated.ts';

const networks: Readonly<Record<Operator, string>> = {
  mtn: 'MTN',
  telecel: 'Vodafone',
  at: 'AirtelTigo',
  glo: 'Glo',
  unknown: 'Unknown',
};

const menuId = 'm-501';

/** JSON that repeats the dialled string on every request; the first brings it as the input too. */
export const southpawsl: Wire = {
  request: (dial, typed) =>
    postJson({
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
    return known && whole ? screenOf(reply.message, reply.state, 'CONTINUE', 'END') : undefined;
  },
};
