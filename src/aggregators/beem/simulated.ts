import type { Operator } from '../../shared/msisdn.ts';
import {
  createJsonPost,
  type Dial,
  readJson,
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
 * JSON with the last input in `payload`. The first `response` is empty; where answers dialled along go is not known,
 * here the whole dialled string comes with them.
 */
export const simulated: SimulatedAggregator = {
  request(dial, typed) {
    const dialled = dial.dialled === dial.serviceCode ? '' : dial.dialled;
    return request(typed.length === 0 ? 'initiate' : 'continue', dial, typed, typed.at(-1) ?? dialled);
  },

  endNotice: (dial, typed) => request('terminate', dial, typed, ''),

  read(contentType, body, dial) {
    const reply = readJson(contentType, body);
    const { request_id, request: text } = Object(reply?.payload) as Record<string, unknown>;
    const known =
      reply?.session_id === dial.session &&
      reply.msisdn === dial.msisdn &&
      reply.operator === networks[dial.operator] &&
      Number.isInteger(request_id);
    return known ? readScreen(text, reply.command, 'continue', 'terminate') : undefined;
  },
};
