import { z } from 'zod';
import type { AggregatorEntry } from '../aggregator.ts';
import { describe, describeWith } from '../description/describe.ts';
import type { Description } from '../description/description.ts';
import {
  createJsonPost,
  type Dial,
  type NetworkCodes,
  readJsonAnswer,
  readJsonScreen,
  readScreen,
} from '../simulated-aggregator.ts';

/**
 * The requests of Hubtel, which other aggregators have adopted. The first message is the whole dialled string; the service
 * code has no `*` and `#`, and often no sub-code. Requests of Hubtel's app have no dialled string.
 */
const hubtelRequest: Omit<Description, 'reply'> = {
  session: ['SessionId'],
  number: ['Mobile'],
  operator: ['Operator'],
  input: ['Message'],
  mark: ['Sequence'],
  kind: {
    field: ['Type'],
    // A favourite opens a session too. The answers that it has stored from an earlier session are ignored.
    first: ['initiation', 'favorite'],
    ended: { timeout: 'timeout', release: 'cancelled' },
  },
};

const settings = z.strictObject({
  /** The title above a screen in Hubtel's app and web shop. Hubtel requires it. */
  label: z
    .string('expected a short title')
    .regex(/^[A-Za-z0-9 .,:()&'-]{1,40}$/, 'expected 1 to 40 unaccented letters, digits and blanks')
    .default('Payment'),
});

const networks: NetworkCodes = {
  mtn: 'mtn',
  telecel: 'vodafone',
  at: 'tigo',
  glo: 'glo',
  unknown: 'unknown',
};

/** Returns the fields of a request. The service code has no `*`, no `#` and no sub-code. */
function hubtelFields(dial: Dial, typed: readonly string[]): Record<string, string | number> {
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

/**
 * Hubtel Programmable Services: JSON with the last input and its number in the session. The reply also defines how the
 * app and the web shop show it.
 */
export const hubtel: AggregatorEntry = {
  aggregator: describeWith(
    { name: 'hubtel', title: 'Hubtel', sequenced: true },
    settings,
    ({ label: Label }) => ({
      ...hubtelRequest,
      reply: {
        continue: {
          SessionId: '{SessionId}',
          Type: 'response',
          Message: '{text}',
          Label,
          DataType: 'input',
          FieldType: 'text',
        },
        end: {
          SessionId: '{SessionId}',
          Type: 'release',
          Message: '{text}',
          Label,
          DataType: 'display',
          FieldType: 'text',
        },
      },
    }),
  ),
  demoCode: '*711*5#',
  /** Requests are JSON with the dialled string, then the last input and its number; `Type` of the reply is `response` or `release`. */
  simulated: {
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
  },
};

/**
 * Emergent Technology, and the gateways called "cross-switch": Hubtel's request with a shorter reply. Some send the
 * service code as `USERID`; it is not used, because the message contains the dialled string. Hubtel's end notices are
 * accepted, although it is not confirmed that they are sent.
 */
export const emergent: AggregatorEntry = {
  aggregator: describe(
    { name: 'emergent', title: 'Emergent Technology', sequenced: true },
    {
      ...hubtelRequest,
      reply: {
        continue: { Type: 'Response', Message: '{text}', MaskNextRoute: true },
        end: { Type: 'Release', Message: '{text}' },
      },
    },
  ),
  demoCode: '*714*5#',
  /** Requests are Hubtel's, with the sub-code in the service code. A screen that continues needs `MaskNextRoute`. */
  simulated: {
    request: (dial, typed) =>
      createJsonPost({ ...hubtelFields(dial, typed), ServiceCode: dial.serviceCode.replace(/^\*|#$/g, '') }),

    read: readJsonScreen(
      'Message',
      'Type',
      ['Response', 'Release'],
      (reply) => reply.Type !== 'Response' || reply.MaskNextRoute === true,
    ),
  },
};
