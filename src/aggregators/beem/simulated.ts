import type { Operator } from '../../shared/msisdn.ts';
import {
  createJsonPost,
  type Dial,
  readJsonAnswer,
  readScreen,
  type SimulatedAggregator,
} from '../simulated-aggregator.ts';

const networks: Readonly<Record<Operator, string>> = {
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
 * Requests are JSON with the last input in `payload`. The first `response` is empty. The place of a dialled suffix is not
 * documented; here the first `response` contains the whole direct-dial string.
 */
export const simulatedBeem: SimulatedAggregator = {
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
};
