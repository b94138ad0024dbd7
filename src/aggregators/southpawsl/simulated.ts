import type { Operator } from '../../shared/msisdn.ts';
import {
  createJsonPost,
  readJsonAnswer,
  readScreen,
  type SimulatedAggregator,
} from '../simulated-aggregator.ts';

const networks: Readonly<Record<Operator, string>> = {
  mtn: 'MTN',
  telecel: 'Vodafone',
  at: 'AirtelTigo',
  glo: 'Glo',
  unknown: 'Unknown',
};

const menuId = 'm-501';

/** Requests are JSON with the dialled string; the first one has it as the input too. */
export const simulatedSouthpawsl: SimulatedAggregator = {
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
};
