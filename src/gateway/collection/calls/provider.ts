import type {
  InitiatedSession,
  OfflineSession,
  SessionStatusResult,
} from '../../../contract/service/reading.ts';
import type { CallOutcome } from './outcome.ts';

/** The three offline calls of the Payment Collection Service. `key` is the merchant's secret key. */
export interface Provider {
  /** Sends the stored bytes of a create call under its idempotency key. It sends no prompt. */
  create(key: string, call: { idempotencyKey: string; body: string }): Promise<CallOutcome<OfflineSession>>;
  /** Requests the prompt: the only call that moves money. */
  initiate(
    key: string,
    call: { sessionId: string; idempotencyKey: string },
  ): Promise<CallOutcome<InitiatedSession>>;
  /** Reads the status of a session. */
  status(key: string, call: { sessionId: string }): Promise<CallOutcome<SessionStatusResult>>;
}
