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
  at: 'tigo',
  glo: 'glo',
  unknown: 'unknown',
};

/** Returns the fields of a request. The service code has no `*`, no `#` and no sub-code. */
export function hubtelFields(dial: Dial, typed: readonly string[]): Record<string, string | number> {
  return {
    Type: typed.length === 0 ? 'Initiation' : 'Response',
    Mobile: dial.msisdn,
    SessionId: dial.session,
    ServiceCode: /\d+/.exec(dial.serviceCode)?.[0] ?? '',
    Message: typed.at(-1) ?? dial.dialled,
    Operator: networks[dial.operator],
    Sequence: typed.length + 1,
  };
}

const dataTypes: readonly unknown[] = ['input', 'display', 'menu', 'select', 'confirm'];
const fieldTypes: readonly unknown[] = ['text', 'phone', 'email', 'number', 'decimal', 'textarea'];

/** Hubtel shows an error instead of a screen with such a letter. */
const accented = /[À-ɏ]/;

/** Requests are JSON with the dialled string, then the last input and its number; `Type` of the reply is `response` or `release`. */
export const simulatedHubtel: SimulatedAggregator = {
  request: (dial, typed) =>
    createJsonPost({ ...hubtelFields(dial, typed), ClientState: '', Platform: 'USSD' }),

  endNotice: (dial, typed) =>
    createJsonPost({
      ...hubtelFields(dial, typed),
      Type: 'Timeout',
      Message: '',
      Sequence: typed.length + 2,
      ClientState: '',
      Platform: 'USSD',
    }),

  read(contentType, body, dial) {
    const reply = readJsonAnswer(contentType, body);
    if (reply?.SessionId !== dial.session || typeof reply.Label !== 'string' || reply.Label === '') {
      return undefined;
    }
    if (!dataTypes.includes(reply.DataType) || !fieldTypes.includes(reply.FieldType)) return undefined;
    if (accented.test(`${reply.Label}${reply.Message}`)) return undefined;
    return readScreen(reply.Message, reply.Type, 'response', 'release');
  },
};
