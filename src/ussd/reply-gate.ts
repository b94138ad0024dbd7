import type { Clock } from '../shared/clock.ts';

/** A reply that has not left by then never will. */
const longestHoldMs = 10_000;

/**
 * Knows which dialogues' END screens are still on their way out, so that no prompt is asked for while the payer's
 * handset may still hold the USSD session open.
 */
export class ReplyGate {
  private readonly held = new Map<string, Promise<void>>();
  private readonly clock: Clock;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Marks a dialogue's last screen as not yet sent. Call the returned function when it has left or was dropped. */
  hold(dialogueId: string): () => void {
    let release = () => {};
    const sent = new Promise<void>((resolve) => {
      release = () => {
        this.held.delete(dialogueId);
        resolve();
      };
    });
    this.held.set(dialogueId, sent);
    return release;
  }

  /** Resolves once the dialogue's last screen has left, or after ten seconds. */
  async sent(dialogueId: string): Promise<void> {
    const sent = this.held.get(dialogueId);
    if (!sent) return;
    const over = new AbortController();
    await Promise.race([sent, this.clock.sleep(longestHoldMs, over.signal)]);
    over.abort();
  }
}
