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
 * An aggregator that speaks of requests and replies by the numbers of SMPP's `ussd_service_op`, in JSON: 1 is a dial,
 * 18 an input; 2 goes on and 17 ends. The first request brings the whole dialled string.
 *
 * @param ended the numbers by which it says that a session is over.
 */
export function smppLike(name: string, title: string, ended: Readonly<Record<string, Ending>>): Aggregator {
  // Which of them wants its session id back is not in writing: it goes back to all.
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
      // Mobile network codes, also where a number has lost its zero. 07 follows Ghana's plan and was not seen in use.
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
