import type { Operator } from '../../shared/msisdn.ts';
import {
  type Dial,
  readJsonAnswer,
  readScreen,
  type SimulatedAggregator,
  type WireRequest,
} from '../simulated-aggregator.ts';

/** The first digits of the IMSIs of each network. */
const networkCodes: Readonly<Record<Operator, string | undefined>> = {
  mtn: '62001',
  telecel: '62002',
  at: '62006',
  glo: '62007',
  unknown: undefined,
};

function send(dial: Dial, action: string, method: 'POST' | 'PUT', value: unknown): WireRequest {
  return {
    method,
    to: `/session/${encodeURIComponent(dial.session)}/${action}`,
    contentType: 'application/json',
    body: JSON.stringify(value),
  };
}

/** The path contains the session and the action; the body is JSON with the dialled string, then the last input. */
export const simulatedInfobip: SimulatedAggregator = {
  request(dial, typed) {
    const network = networkCodes[dial.operator];
    return send(dial, typed.length === 0 ? 'start' : 'response', 'POST', {
      msisdn: dial.msisdn,
      text: typed.at(-1) ?? dial.dialled,
      shortCode: dial.serviceCode,
      imsi: network === undefined ? null : `${network}${dial.msisdn.slice(-9)}0`,
      language: null,
      optional: null,
      ussdGwId: 'live2',
    });
  },

  endNotice: (dial) => send(dial, 'end', 'PUT', { exitCode: 540, reason: 'aborted' }),

  read(contentType, body) {
    const reply = readJsonAnswer(contentType, body);
    const isComplete = reply?.responseExitCode === 200 && typeof reply.responseMessage === 'string';
    return isComplete ? readScreen(reply.ussdMenu, reply.shouldClose, false, true) : undefined;
  },
};
