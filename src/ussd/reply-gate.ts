import type { Clock } from '../shared/clock.ts';

/** A reply that has not left by then never will. */
const longestHoldMs = 10_000;

/** The replies of one dialogue that are still on their way. */
type Held = { replies: number; sent: Promise<void>; release(): void };

/**
 * Knows which dialogues' END screens are still on their way out, so that no prompt is asked for while the payer's
 * handset may still hold the USSD session open.
 */
export class ReplyGate {
  private readonly held = new Map<string, Held>();
  private readonly clock: Clock;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /**
   * Marks one reply with a dialogue's last screen as not yet sent; equal requests at once have one each. Call the
   * returned function when it has left or was dropped.
   */
  hold(dialogueId: string): () => void {
    const held = this.held.get(dialogueId) ?? nothingHeld();
    held.replies++;
    this.held.set(dialogueId, held);
    return () => {
      held.replies--;
      if (held.replies > 0) return;
      this.held.delete(dialogueId);
      held.release();
    };
  }

  /** Resolves once the dialogue's last screen has left, or after ten seconds; `true` when it had to be waited for. */
  async sent(dialogueId: string): Promise<boolean> {
    const held = this.held.get(dialogueId);
    if (!held) return false;
    const over = new AbortController();
    await Promise.race([held.sent, this.clock.sleep(longestHoldMs, over.signal)]);
    over.abort();
    return true;
  }
}

function nothingHeld(): Held {
  let release = () => {};
  const sent = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { replies: 0, sent, release };
}
