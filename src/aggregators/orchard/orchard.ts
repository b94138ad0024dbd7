import { z } from 'zod';
import type { AggregatorEntry } from '../aggregator.ts';
import { describeWith } from '../description/describe.ts';
import {
  createJsonPost,
  type Dial,
  type NetworkCodes,
  readJsonAnswer,
  readScreen,
} from '../simulated-aggregator.ts';

const settings = z.strictObject({
  /** The type of `msg_type` in a reply: the text "1" or the number 1. */
  messageType: z.enum(['text', 'number'], { error: 'expected text or number' }).default('text'),
});

/** The codes of AT and Glo are not documented, so names are used. */
const networkCodes: NetworkCodes = { mtn: '01', telecel: '02', at: 'AIR', glo: 'GLO', unknown: '99' };

const getFields = (dial: Dial) => ({
  session_id: dial.session,
  service_code: dial.serviceCode,
  msisdn: dial.msisdn,
  nw_code: networkCodes[dial.operator],
});

const request = (dial: Dial, msg_type: string, ussd_body: string) =>
  createJsonPost({ ...getFields(dial), msg_type, ussd_body });

/**
 * Orchard of AppsNmobile: JSON or a form with `msg_type` 0 for a dial and 1 for an input. The reply is the same object as
 * JSON, with the screen in `ussd_body` and with `msg_type` 1 to continue or 2 to end.
 */
export const orchard: AggregatorEntry = {
  aggregator: describeWith(
    { name: 'orchard', title: 'Orchard (AppsNmobile)' },
    settings,
    ({ messageType }) => {
      const getMessageType = (type: number) => (messageType === 'text' ? String(type) : type);
      return {
        session: ['session_id'],
        number: ['msisdn'],
        operator: ['nw_code'],
        // Only these two are known. A channel can add the codes that it receives.
        operators: { '01': 'mtn', '02': 'telecel' },
        input: ['ussd_body'],
        kind: { field: ['msg_type'], first: ['0'], ended: { '2': 'ended' } },
        reply: {
          echo: true,
          continue: { msg_type: getMessageType(1), ussd_body: '{text}' },
          end: { msg_type: getMessageType(2), ussd_body: '{text}' },
        },
      };
    },
  ),
  demoCode: '*380*5#',
  /** Requests are JSON with the dialled string, then the last input; the reply is the same object with the screen. */
  simulated: {
    request: (dial, typed) => request(dial, typed.length === 0 ? '0' : '1', typed.at(-1) ?? dial.dialled),

    endNotice: (dial) => request(dial, '2', ''),

    read(contentType, body, dial) {
      const reply = readJsonAnswer(contentType, body);
      const hasEcho = Object.entries(getFields(dial)).every(([name, value]) => reply?.[name] === value);
      if (!hasEcho) return undefined;
      const [continues, ends] = dial.settings?.messageType === 'number' ? [1, 2] : ['1', '2'];
      return readScreen(reply?.ussd_body, reply?.msg_type, continues, ends);
    },
  },
};
