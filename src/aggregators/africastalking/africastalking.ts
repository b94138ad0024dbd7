import type { AggregatorEntry } from '../aggregator.ts';
import { describe } from '../description/describe.ts';
import type { Description } from '../description/description.ts';
import { dialledSuffix } from '../dial-string.ts';
import {
  createJsonPost,
  createPost,
  type Dial,
  type NetworkCodes,
  type SimulatedAggregator,
} from '../simulated-aggregator.ts';

/**
 * A form with cumulative `text`, answered by plain text that starts with `CON ` or `END `. The first request's `text`
 * contains the dialled suffix without the service code. The end notification, which can use the same URL, has a
 * `status`.
 */
const cumulativeForm: Description = {
  session: ['sessionId'],
  number: ['phoneNumber'],
  operator: ['networkCode'],
  // The sandbox. Other codes are mobile country code 620 and network code, as `operatorByName` reads them.
  operators: { '99999': 'unknown' },
  input: ['text'],
  cumulative: 'answers',
  kind: {
    field: ['status'],
    first: [],
    ended: { success: 'completed', failed: 'failed', incomplete: 'cancelled' },
    other: 'ended',
  },
  reply: { continue: 'CON {text}', end: 'END {text}' },
};

const networkCodes: NetworkCodes = {
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

const read: SimulatedAggregator['read'] = (contentType, body) => {
  const match = /^(CON|END) (.*)/s.exec(body);
  if (!match || !contentType.startsWith('text/plain')) return undefined;
  return { kind: match[1] === 'CON' ? 'continue' : 'end', text: match[2] ?? '' };
};

export const africastalking: AggregatorEntry = {
  aggregator: describe(
    {
      name: 'africastalking',
      title: "Africa's Talking",
      style: { limit: 182 },
      replyWithinMs: 10_000,
      sequenced: true,
    },
    cumulativeForm,
  ),
  demoCode: '*713*5#',
  simulated: {
    request: (dial, typed) => form(cumulativeFields(dial, typed)),

    endNotice(dial, typed) {
      const { text = '', ...fields } = cumulativeFields(dial, typed);
      const hopsCount = String(typed.length + 1);
      return form({ ...fields, status: 'Incomplete', durationInMillis: '31000', hopsCount, input: text });
    },

    read,
  },
};

/** Hellio Messaging: as Africa's Talking, with requests as JSON. No end notice is documented. */
export const hellio: AggregatorEntry = {
  aggregator: describe(
    { name: 'hellio', title: 'Hellio Messaging', style: { limit: 182 }, sequenced: true },
    cumulativeForm,
  ),
  demoCode: '*384*5#',
  simulated: { request: (dial, typed) => createJsonPost(cumulativeFields(dial, typed)), read },
};
