import type { Ending } from '../../shared/ussd.ts';
import type { Aggregator } from '../aggregator.ts';
import { describe } from '../description/describe.ts';

const networkCodes = [
  ['1', 'mtn'],
  ['2', 'telecel'],
  ['3', 'at'],
  ['6', 'at'],
  ['7', 'glo'],
] as const;

/**
 * Creates an aggregator whose JSON uses the numbers of SMPP's `ussd_service_op`. In requests 1 is a dial and 18 an input; in
 * replies 2 continues and 17 ends. The first request contains the whole dialled string.
 *
 * @param ended the numbers that report the end of a session.
 */
function smppLike(name: string, title: string, ended: Readonly<Record<string, Ending>>): Aggregator {
  // It is not documented which of the aggregators need their session id back, so all of them get it.
  const reply = { sessionID: '{sessionID}', message: '{text}' };
  return describe(
    {
      name,
      title,
      method: 'POST',
      style: { alphabet: 'gsm', limit: 147, lineBreak: '\n', forbidden: '' },
      replyWithinMs: 4_000,
      sequenced: false,
      promptDelayMs: 0,
    },
    {
      session: ['sessionID'],
      number: ['msisdn'],
      operator: ['network'],
      // Mobile network codes, with and without the leading zero. 07 follows Ghana's numbering plan; no request with it is known.
      operators: Object.fromEntries(
        networkCodes.flatMap(([code, operator]) => [
          [`0${code}`, operator],
          [code, operator],
        ]),
      ),
      input: ['ussdString'],
      kind: { field: ['ussdServiceOp'], first: ['1'], ended },
      reply: {
        contentType: 'application/json',
        continue: { ...reply, ussdServiceOp: 2 },
        end: { ...reply, ussdServiceOp: 17 },
      },
    },
  );
}

/** TXTGhana: 3 reports a failed session, 30 a cancelled one. */
export const txtghana: Aggregator = smppLike('txtghana', 'TXTGhana', { '3': 'failed', '30': 'cancelled' });

/** Korba: 3 reports a failed session, 30 a cancelled one. */
export const korba: Aggregator = smppLike('korba', 'Korba', { '3': 'failed', '30': 'cancelled' });

const minEnd = 29;
/** The operation number is one octet. */
const maxEnd = 255;

const ends = Array.from({ length: maxEnd - minEnd + 1 }, (_, i) => String(minEnd + i));

/**
 * Uzo: `ussdServiceOp` 29 and above ends the session without a reason. Phone numbers have a plus, and requests have the
 * additional fields `code` and `country`.
 */
export const uzo: Aggregator = smppLike(
  'uzo',
  'Uzo',
  Object.fromEntries(ends.map((number) => [number, 'ended' as const])),
);
