import type { Operator } from '../../shared/msisdn.ts';
import {
  createJsonPost,
  type Dial,
  readJsonAnswer,
  readScreen,
  type SimulatedAggregator,
} from '../simulated-aggregator.ts';

const networkCodes: Readonly<Record<Operator, string>> = {
  mtn: '01',
  telecel: '02',
  at: '06',
  glo: '07',
  unknown: '99',
};

/** The differences between the aggregators of the family. */
type SmppLikeOptions = {
  /** The operation number of an end notice. */
  endNoticeOp: string;
  /** Fields that are added to those of the family, or replace them. */
  fields?: (dial: Dial) => Readonly<Record<string, string>>;
};

/**
 * Creates a simulated aggregator of the family. Requests are JSON with the dialled string, then the last input, and the
 * operation numbers of SMPP: 1 is a dial, 18 an input. A reply of 2 continues and one of 17 ends; it contains the session
 * id.
 */
function smppLike({ endNoticeOp, fields }: SmppLikeOptions): SimulatedAggregator {
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
    request: (dial, typed) => request(dial, typed.at(-1) ?? dial.dialled, typed.length === 0 ? '1' : '18'),

    endNotice: (dial) => request(dial, '', endNoticeOp),

    read(contentType, body, dial) {
      const reply = readJsonAnswer(contentType, body);
      if (reply?.sessionID !== dial.session) return undefined;
      return readScreen(reply.message, reply.ussdServiceOp, 2, 17);
    },
  };
}

export const simulatedTxtghana: SimulatedAggregator = smppLike({ endNoticeOp: '30' });

export const simulatedKorba: SimulatedAggregator = smppLike({ endNoticeOp: '30' });

/** The interface of the family, with a plus before the number, and with the service code and the country. */
export const simulatedUzo: SimulatedAggregator = smppLike({
  endNoticeOp: '29',
  fields: ({ msisdn, serviceCode }) => ({ msisdn: `+${msisdn}`, code: serviceCode, country: 'GH' }),
});
