import type { Operator } from '../../shared/msisdn.ts';
import {
  createJsonPost,
  type Dial,
  readJsonAnswer,
  readScreen,
  type SimulatedAggregator,
} from '../simulated-aggregator.ts';

/** The codes of AT and Glo are not documented, so names are used. */
const networkCodes: Readonly<Record<Operator, string>> = {
  mtn: '01',
  telecel: '02',
  at: 'AIR',
  glo: 'GLO',
  unknown: '99',
};

const getFields = (dial: Dial) => ({
  session_id: dial.session,
  service_code: dial.serviceCode,
  msisdn: dial.msisdn,
  nw_code: networkCodes[dial.operator],
});

const request = (dial: Dial, msg_type: string, ussd_body: string) =>
  createJsonPost({ ...getFields(dial), msg_type, ussd_body });

/** Requests are JSON with the dialled string, then the last input; the reply is the same object with the screen. */
export const simulatedOrchard: SimulatedAggregator = {
  request: (dial, typed) => request(dial, typed.length === 0 ? '0' : '1', typed.at(-1) ?? dial.dialled),

  endNotice: (dial) => request(dial, '2', ''),

  read(contentType, body, dial) {
    const reply = readJsonAnswer(contentType, body);
    const hasEcho = Object.entries(getFields(dial)).every(([name, value]) => reply?.[name] === value);
    if (!hasEcho) return undefined;
    const [continues, ends] = dial.settings?.messageType === 'number' ? [1, 2] : ['1', '2'];
    return readScreen(reply?.ussd_body, reply?.msg_type, continues, ends);
  },
};
