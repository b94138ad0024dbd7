import type { Operator } from '../../shared/msisdn.ts';
import type { Ending } from '../../shared/ussd.ts';
import type { AggregatorEntry } from '../aggregator.ts';
import { describe } from '../description/describe.ts';
import { createJsonPost, type Dial, type NetworkCodes, readJsonScreen } from '../simulated-aggregator.ts';

/** Mobile network codes, without the leading zero. 7 follows Ghana's numbering plan; no request with it is known. */
const operators: Readonly<Record<string, Operator>> = {
  '1': 'mtn',
  '2': 'telecel',
  '3': 'at',
  '6': 'at',
  '7': 'glo',
};

const networkCodes: NetworkCodes = { mtn: '01', telecel: '02', at: '06', glo: '07', unknown: '99' };

/** The differences between the aggregators of the family. */
type SmppLikeOptions = {
  name: string;
  title: string;
  demoCode: string;
  /** The numbers that report the end of a session. */
  ended: Readonly<Record<string, Ending>>;
  /** The number of the end notice of a payer who hangs up. */
  endNoticeOp: string;
  /** Fields of simulated requests that are added to those of the family, or replace them. */
  fields?: (dial: Dial) => Readonly<Record<string, string>>;
};

/**
 * Creates an aggregator whose JSON uses the numbers of SMPP's `ussd_service_op`. In requests 1 is a dial and 18 an input; in
 * replies 2 continues and 17 ends. The first request contains the whole dialled string, later ones the last input.
 */
function smppLike(options: SmppLikeOptions): AggregatorEntry {
  const { name, title, demoCode, ended, endNoticeOp, fields } = options;
  // It is not documented which of the aggregators need their session id back, so all of them get it.
  const reply = { sessionID: '{sessionID}', message: '{text}' };
  const request = (dial: Dial, ussdString: string, ussdServiceOp: string) =>
    createJsonPost({
      sessionID: dial.session,
      msisdn: dial.msisdn,
      ussdString,
      ussdServiceOp,
      network: networkCodes[dial.operator],
      ...fields?.(dial),
    });
  return {
    aggregator: describe(
      { name, title, style: { limit: 147 } },
      {
        session: ['sessionID'],
        number: ['msisdn'],
        operator: ['network'],
        operators: {
          ...operators,
          ...Object.fromEntries(Object.entries(operators).map(([code, operator]) => [`0${code}`, operator])),
        },
        input: ['ussdString'],
        kind: { field: ['ussdServiceOp'], first: ['1'], ended },
        reply: { continue: { ...reply, ussdServiceOp: 2 }, end: { ...reply, ussdServiceOp: 17 } },
      },
    ),
    demoCode,
    simulated: {
      request: (dial, typed) => request(dial, typed.at(-1) ?? dial.dialled, typed.length === 0 ? '1' : '18'),

      endNotice: (dial) => request(dial, '', endNoticeOp),

      read: readJsonScreen(
        'message',
        'ussdServiceOp',
        [2, 17],
        ({ sessionID }, { session }) => sessionID === session,
      ),
    },
  };
}

/** TXTGhana: 3 reports a failed session, 30 a cancelled one. */
export const txtghana = smppLike({
  name: 'txtghana',
  title: 'TXTGhana',
  demoCode: '*789*5#',
  ended: { '3': 'failed', '30': 'cancelled' },
  endNoticeOp: '30',
});

/** Korba: 3 reports a failed session, 30 a cancelled one. */
export const korba = smppLike({
  name: 'korba',
  title: 'Korba',
  demoCode: '*395*5#',
  ended: { '3': 'failed', '30': 'cancelled' },
  endNoticeOp: '30',
});

const minEnd = 29;
/** The operation number is one octet. */
const maxEnd = 255;

const ends = Array.from({ length: maxEnd - minEnd + 1 }, (_, i) => String(minEnd + i));

/**
 * Uzo: `ussdServiceOp` 29 and above ends the session without a reason. Phone numbers have a plus, and requests have the
 * additional fields `code` and `country`.
 */
export const uzo = smppLike({
  name: 'uzo',
  title: 'Uzo',
  demoCode: '*844*5#',
  ended: Object.fromEntries(ends.map((number) => [number, 'ended' as const])),
  endNoticeOp: '29',
  fields: ({ msisdn, serviceCode }) => ({ msisdn: `+${msisdn}`, code: serviceCode, country: 'GH' }),
});
