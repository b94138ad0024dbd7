import type { DeliveryView } from '../../../contract/endpoint.ts';
import type { Tolerant } from '../../../contract/tolerant.ts';
import { oneLine, showTime } from '../../terminal/output.ts';
import { printable } from '../../terminal/protected-output.ts';

/** Characters of an answer in one line of the log. */
const maxAnswerLength = 120;

/** Returns the lines of one notification: what was sent, and the answers to the last attempts. */
export function deliveryText({ at, type, eventId, state, nextAt, attempts }: Tolerant<DeliveryView>): string {
  const next = nextAt === null ? '' : `, next ${showTime(Date.parse(nextAt))}`;
  const head = `${showTime(Date.parse(at))}  ${type}  ${eventId}  ${state}${next}`;
  const lines = attempts.map(({ number, at: startedAt, durationMs, status, error, answer }) => {
    const result = status === null ? error : `HTTP ${status}`;
    const text = answer === null ? '' : `  ${oneLine(answer).slice(0, maxAnswerLength)}`;
    return `  ${number}. ${showTime(Date.parse(startedAt))}  ${durationMs} ms  ${result}${text}`;
  });
  return printable(`${[head, ...lines].join('\n')}\n`);
}
