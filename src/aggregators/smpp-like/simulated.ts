import type { Operator } from '../../shared/msisdn.ts';
import {
  createJsonPost,
  type Dial,
  readJson,
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

/** What one aggregator of the family has of its own. */
type SmppLikeOptions = {
  /** The number of a session that the payer has left. */
  left: string;
  /** Fields besides those of the family, or instead of them. */
  fields?: (dial: Dial) => Readonly<Record<string, string>>;
};

/**
 * JSON with the dialled string, then the last input alone. Requests and replies are numbered as in SMPP: a dial is 1
 * and an input 18; a reply of 2 goes on, one of 17 ends, and it brings the session id back.
 */
export function smppLike({ left, fields }: SmppLikeOptions): SimulatedAggregator {
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

    endNotice: (dial) => request(dial, '', left),

    read(contentType, body, dial) {
      const reply = readJson(contentType, body);
      if (reply?.sessionID !== dial.session) return undefined;
      return readScreen(reply.message, reply.ussdServiceOp, 2, 17);
    },
  };
}
