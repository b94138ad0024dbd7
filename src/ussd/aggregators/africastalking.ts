import { type Operator, parseMsisdn } from '../../shared/msisdn.ts';
import { field, readFields } from '../body.ts';
import { fitScreen } from '../text.ts';
import type { Aggregator } from '../turn.ts';
import { readInput, readOperator, readToken } from './read.ts';

/** Mobile country code 620 and the network. 62003 and 62007 follow Ghana's plan and were not seen in use. */
const networkCodes: ReadonlyMap<string, Operator> = new Map([
  ['62001', 'mtn'],
  ['62002', 'telecel'],
  ['62003', 'at'],
  ['62006', 'at'],
  ['62007', 'glo'],
]);

const textLimit = 182;

/** Twenty screens of typing; a session ends long before. */
const longestText = 2048;

/**
 * Africa's Talking, and Hellio, which speaks the same: a form with cumulative `text`, answered by plain text that
 * starts with `CON ` or `END `. The first request's `text` holds the dialled suffix, already cut off the code.
 */
export const africastalking: Aggregator = {
  name: 'africastalking',
  textLimit,
  sequenced: true,

  decode(raw) {
    const fields = readFields(raw);
    // The notice that a session has ended brings a status and asks for no screen.
    if (fields.has('status')) return undefined;
    const session = readToken(field(fields, 'sessionId') ?? '');
    const dialler = parseMsisdn(field(fields, 'phoneNumber') ?? '');
    const text = readInput(fields.get('text') ?? '');
    if (!session || !dialler || text.length > longestText) return undefined;
    const operator = readOperator(field(fields, 'networkCode'), networkCodes);
    return { session, dialler, operator, entry: { kind: 'cumulative', text }, echo: {} };
  },

  encode(reply) {
    const verb = reply.kind === 'continue' ? 'CON' : 'END';
    return { contentType: 'text/plain; charset=utf-8', body: `${verb} ${fitScreen(reply.text, textLimit)}` };
  },
};
