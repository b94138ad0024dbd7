import { z } from 'zod';
import type { Operator } from '../../shared/msisdn.ts';
import type { Wire } from '../wire.ts';

const networks: Readonly<Record<Operator, string>> = {
  mtn: 'MTN',
  telecel: 'VODAFONE',
  at: 'AIRTELTIGO',
  glo: 'GLO',
  unknown: 'UNKNOWN',
};

const userId = 'DIALTILL';

const reply = z.object({ USERID: z.literal(userId), MSG: z.string(), MSGTYPE: z.boolean() });

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** JSON with the dialled string, then the last input alone; a reply's `MSGTYPE` says whether to go on. */
export const nalo: Wire = {
  request(dial, typed) {
    return {
      contentType: 'application/json',
      body: JSON.stringify({
        USERID: userId,
        MSISDN: dial.msisdn,
        USERDATA: typed.at(-1) ?? dial.dialled,
        MSGTYPE: typed.length === 0,
        NETWORK: networks[dial.operator],
        SESSIONID: dial.session,
      }),
    };
  },

  read(contentType, body) {
    const parsed = reply.safeParse(parseJson(body));
    if (!parsed.success || !contentType.startsWith('application/json')) return undefined;
    return { kind: parsed.data.MSGTYPE ? 'continue' : 'end', text: parsed.data.MSG };
  },
};
