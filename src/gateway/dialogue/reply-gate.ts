import type { Clock, EpochMs } from '../../shared/clock.ts';
import { createLruMap } from '../../shared/limits/lru-map.ts';

/** A reply that was not sent within this time will not be sent. */
const maxWaitMs = 10_000;

/** Dialogues whose END screen was sent and that are remembered: more than there are waiting prompts. */
const maxRemembered = 10_000;

/** The replies of one dialogue that were not sent yet. */
type PendingReplies = { count: number; sent: Promise<void>; resolve(): void };

/**
 * Records which END screens are still on their way, so that no prompt goes out while the payer's handset may still have
 * the USSD session open.
 */
export class ReplyGate {
  private readonly pending = new Map<string, PendingReplies>();
  /** When each END screen was sent. */
  private readonly sentTimes = createLruMap<EpochMs>(maxRemembered);
  private readonly clock: Clock;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /**
   * Registers one reply with a dialogue's END screen. Concurrent equal requests have one reply each.
   *
   * @returns a function to call when the reply was sent or dropped.
   */
  register(dialogueId: string): () => void {
    const pending = this.pending.get(dialogueId) ?? noReplies();
    pending.count++;
    this.pending.set(dialogueId, pending);
    return () => {
      pending.count--;
      if (pending.count > 0) return;
      this.pending.delete(dialogueId);
      this.sentTimes.set(dialogueId, this.clock.now());
      pending.resolve();
    };
  }

  /**
   * Waits until the dialogue's END screen was sent, for at most ten seconds.
   *
   * @returns the time at which it was sent; `undefined` when the dialogue is unknown, as after a restart.
   */
  async sent(dialogueId: string): Promise<EpochMs | undefined> {
    const pending = this.pending.get(dialogueId);
    if (!pending) return this.sentTimes.get(dialogueId);
    const done = new AbortController();
    await Promise.race([pending.sent, this.clock.sleep(maxWaitMs, done.signal)]);
    done.abort();
    return this.sentTimes.get(dialogueId) ?? this.clock.now();
  }
}

function noReplies(): PendingReplies {
  let resolve = () => {};
  const sent = new Promise<void>((resolveSent) => {
    resolve = resolveSent;
  });
  return { count: 0, sent, resolve };
}
