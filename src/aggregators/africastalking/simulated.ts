import type { Operator } from '../../shared/msisdn.ts';
import { dialledSuffix } from '../dial-string.ts';
import { createJsonPost, createPost, type Dial, type SimulatedAggregator } from '../simulated-aggregator.ts';

const networkCodes: Readonly<Record<Operator, string>> = {
  mtn: '62001',
  telecel: '62002',
  at: '62006',
  glo: '62007',
  unknown: '99999',
};

/** Returns the fields of a request. `text` contains everything typed since the dial. */
function cumulativeFields(dial: Dial, typed: readonly string[]): Record<string, string> {
  const suffix = dialledSuffix(dial.dialled, dial.serviceCode) ?? [];
  return {
    sessionId: dial.session,
    phoneNumber: `+${dial.msisdn}`,
    networkCode: networkCodes[dial.operator],
    serviceCode: dial.serviceCode,
    text: [...suffix, ...typed].join('*'),
  };
}

const form = (fields: Record<string, string>) =>
  createPost('application/x-www-form-urlencoded', new URLSearchParams(fields).toString());

/** Requests are forms with cumulative `text`; replies are plain text that starts with `CON ` or `END `. */
export const simulatedAfricastalking: SimulatedAggregator = {
  request: (dial, typed) => form(cumulativeFields(dial, typed)),

  endNotice(dial, typed) {
    const { text = '', ...fields } = cumulativeFields(dial, typed);
    const hopsCount = String(typed.length + 1);
    return form({ ...fields, status: 'Incomplete', durationInMillis: '31000', hopsCount, input: text });
  },

  read(contentType, body) {
    const match = /^(CON|END) (.*)$/s.exec(body);
    if (!match || !contentType.startsWith('text/plain')) return undefined;
    return { kind: match[1] === 'CON' ? 'continue' : 'end', text: match[2] ?? '' };
  },
};

/** Requests have the fields of Africa's Talking as JSON; replies are the same. No end notice is documented. */
export const simulatedHellio: SimulatedAggregator = {
  request: (dial, typed) => createJsonPost(cumulativeFields(dial, typed)),
  read: simulatedAfricastalking.read,
};
