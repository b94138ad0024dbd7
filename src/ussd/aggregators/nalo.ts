import { parseMsisdn } from '../../shared/msisdn.ts';
import { field, readFields } from '../body.ts';
import { fitScreen } from '../text.ts';
import type { Aggregator, Entry } from '../turn.ts';
import { dialledSuffix, isDialString } from './dialled.ts';
import { readInput, readOperator, readToken } from './read.ts';

const textLimit = 120;

/** One USSD string holds no more. */
const longestInput = 182;

/** In a request `MSGTYPE` says whether it is the first. Other values are no request for a screen. */
const firstFlags: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/**
 * `MSGTYPE` true is not believed by itself, because it was also seen on later requests: only a dialled string, or
 * nothing at all, opens a session.
 */
function readEntry(first: boolean, data: string, serviceCode: string): Entry {
  if (first && data === '') return { kind: 'dialled', suffix: [] };
  if (first && isDialString(data)) {
    return { kind: 'dialled', suffix: dialledSuffix(data, serviceCode) ?? [] };
  }
  return { kind: 'typed', input: data };
}

/**
 * Nalo Solutions: JSON in upper-case names, only the last input, the whole dialled string on the first request. In
 * a reply `MSGTYPE` true means "go on". Older payloads bring no session id: the number stands in for it.
 */
export const nalo: Aggregator = {
  name: 'nalo',
  textLimit,
  sequenced: false,

  decode(raw, serviceCode) {
    const fields = readFields(raw);
    const number = field(fields, 'MSISDN') ?? '';
    const dialler = parseMsisdn(number);
    const first = firstFlags.get((field(fields, 'MSGTYPE') ?? 'false').toLowerCase());
    const data = readInput(field(fields, 'USERDATA') ?? '');
    if (!dialler || first === undefined || data.length > longestInput) return undefined;
    const session = readToken(field(fields, 'SESSIONID') ?? dialler);
    const user = field(fields, 'USERID') ?? '';
    if (!session || user.length > 64) return undefined;
    return {
      session,
      dialler,
      operator: readOperator(field(fields, 'NETWORK')),
      entry: readEntry(first, data, serviceCode),
      echo: { USERID: user, MSISDN: number },
    };
  },

  encode(reply, request) {
    return {
      contentType: 'application/json',
      body: JSON.stringify({
        USERID: request?.echo.USERID ?? '',
        MSISDN: request?.echo.MSISDN ?? '',
        MSG: fitScreen(reply.text, textLimit),
        MSGTYPE: reply.kind === 'continue',
      }),
    };
  },
};
