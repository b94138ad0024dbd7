import { LRUCache } from 'lru-cache';
import type { Clock, EpochMs } from '../../shared/clock.ts';

/** A reply that has not left by then never will. */
const maxPauseMs = 10_000;

/** Dialogues whose last screen has left, that are remembered at once: more than the prompts that can wait. */
const maxRemembered = 10_000;

/** The replies of one dialogue that are still on their way. */
type Held = { replies: number; sent: Promise<void>; release(): void };

/**
 * Knows which dialogues' END screens are still on their way out, so that no prompt is asked for while the payer's
 * handset may still hold the USSD session open.
 */
export class ReplyGate {
  private readonly held = new Map<string, Held>();
  /** When the last screens left, the oldest first. */
  private readonly left = new LRUCache<string, EpochMs>({ max: maxRemembered });
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
      this.left.set(dialogueId, this.clock.now());
      held.release();
    };
  }

  /**
   * Resolves with when the dialogue's last screen left, once it has, or after ten seconds; `undefined` when nothing is
   * known of it, as after a restart.
   */
  async sent(dialogueId: string): Promise<EpochMs | undefined> {
    const held = this.held.get(dialogueId);
    if (!held) return this.left.get(dialogueId);
    const over = new AbortController();
    await Promise.race([held.sent, this.clock.sleep(maxPauseMs, over.signal)]);
    over.abort();
    return this.left.get(dialogueId) ?? this.clock.now();
  }
}

function nothingHeld(): Held {
  let release = () => {};
  const sent = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { replies: 0, sent, release };
}
