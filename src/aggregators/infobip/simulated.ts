import type { Operator } from '../../shared/msisdn.ts';
import {
  type Dial,
  readJson,
  readScreen,
  type SimulatedAggregator,
  type WireRequest,
} from '../simulated-aggregator.ts';

/** How the SIM numbers of each network begin. */
const networkCodes: Readonly<Record<Operator, string | undefined>> = {
  mtn: '62001',
  telecel: '62002',
  at: '62006',
  glo: '62007',
  unknown: undefined,
};

function to(dial: Dial, action: string, method: 'POST' | 'PUT', value: unknown): WireRequest {
  return {
    method,
    to: `/session/${encodeURIComponent(dial.session)}/${action}`,
    contentType: 'application/json',
    body: JSON.stringify(value),
  };
}

/** The session and what is wanted stand in the path; JSON with the dialled string, then the last input alone. */
export const simulated: SimulatedAggregator = {
  request(dial, typed) {
    const network = networkCodes[dial.operator];
    return to(dial, typed.length === 0 ? 'start' : 'response', 'POST', {
      msisdn: dial.msisdn,
      text: typed.at(-1) ?? dial.dialled,
      shortCode: dial.serviceCode,
      imsi: network === undefined ? null : `${network}${dial.msisdn.slice(-9)}0`,
      language: null,
      optional: null,
      ussdGwId: 'live2',
    });
  },

  endNotice: (dial) => to(dial, 'end', 'PUT', { exitCode: 540, reason: 'aborted' }),

  read(contentType, body) {
    const reply = readJson(contentType, body);
    const whole = reply?.responseExitCode === 200 && typeof reply.responseMessage === 'string';
    return whole ? readScreen(reply.ussdMenu, reply.shouldClose, false, true) : undefined;
  },
};
