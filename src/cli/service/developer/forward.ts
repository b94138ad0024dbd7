import { eventIdHeader, signatureHeader } from '../../../contract/event.ts';
import { signPayload } from '../../../service/webhook/send.ts';
import type { Clock } from '../../../shared/clock.ts';
import { exchange } from '../../../shared/http/exchange.ts';

export type Forwarded =
  | { kind: 'answered'; status: number; body: string }
  | { kind: 'unreachable'; detail: string };

/** Sends an event as the service does: the same bytes and headers, signed with `secret` at the time of the attempt. */
export async function forwardEvent(
  deps: { fetch: typeof fetch; clock: Clock },
  target: { url: string; secret: string },
  event: { id: string; body: string },
): Promise<Forwarded> {
  const response = await exchange(deps, target.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      [eventIdHeader]: event.id,
      [signatureHeader]: signPayload([target.secret], deps.clock.now(), event.body),
    },
    body: event.body,
  });
  return response.ok
    ? { kind: 'answered', status: response.status, body: response.body }
    : { kind: 'unreachable', detail: response.detail };
}
