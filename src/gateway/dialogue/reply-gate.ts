import type { Clock, EpochMs } from '../../shared/clock.ts';
import { createLruMap } from '../../shared/limits/per-key.ts';
import type { UssdReply } from '../../shared/ussd.ts';

/** A reply that was not sent within this time will not be sent. */
const maxWaitMs = 10_000;

/** Screens whose times are remembered: more than the dialogues that end while a prompt waits for its delay. */
const maxRemembered = 50_000;

/** An aggregator that received no reply asks again within this time. The prompt waits for that request. */
const repeatWithinMs = 5_000;

/** How a reply left: completely, or not, because its connection broke. */
export type ReplyEnd = 'sent' | 'broken';

/** The replies with one screen that were not sent yet. */
type PendingReplies = {
  count: number;
  /** When the last one was registered. */
  since: EpochMs;
  sent: Promise<void>;
  resolve(): void;
};

/**
 * Records which END screens are still on their way, so that no prompt goes out while the payer's handset may still have
 * the USSD session open.
 */
export class ReplyGate {
  /** By the key of a screen (`screenKey`). */
  private readonly pending = new Map<string, PendingReplies>();
  /** When each screen was sent. */
  private readonly sentTimes = createLruMap<EpochMs>(maxRemembered);
  private readonly clock: Clock;
  private readonly isShared: boolean;
  private startedAt: EpochMs | undefined;

  /** @param isShared another gateway may have sent an END screen that this one has not recorded. */
  constructor(clock: Clock, isShared = false) {
    this.clock = clock;
    this.isShared = isShared;
  }

  /** Marks the start of the process: an earlier process may have sent an END screen until now. */
  start(): void {
    this.startedAt = this.clock.now();
  }

  /**
   * Registers one reply with a dialogue's END screen, or with a menu screen that was sent before. Concurrent equal requests have one
   * reply each, and a repeated request has another one.
   *
   * @returns a function to call when the reply was sent or its connection broke. When the connection of the last one broke,
   *   the time for a repeat of the request is added.
   */
  register(dialogueId: string, kind: UssdReply['kind']): (end: ReplyEnd) => void {
    const key = screenKey(dialogueId, kind);
    const pending = this.pending.get(key) ?? noReplies();
    pending.count++;
    pending.since = this.clock.now();
    this.pending.set(key, pending);
    return (end) => {
      pending.count--;
      if (pending.count > 0) return;
      this.pending.delete(key);
      this.sentTimes.set(key, this.clock.now() + (end === 'broken' ? repeatWithinMs : 0));
      pending.resolve();
    };
  }

  /**
   * Returns when a registered reply of a dialogue left last, with the time for a repeat when its connection broke; the present time
   * while one is on its way, for at most ten seconds. Undefined when this process sent none.
   */
  lastLeft(dialogueId: string): EpochMs | undefined {
    const times = (['end', 'continue'] as const).flatMap((kind) => {
      const key = screenKey(dialogueId, kind);
      const pending = this.pending.get(key);
      const sentAt = this.sentTimes.get(key);
      if (pending) return Math.min(this.clock.now(), pending.since + maxWaitMs);
      return sentAt === undefined ? [] : sentAt;
    });
    return times.length > 0 ? Math.max(...times) : undefined;
  }

  /**
   * Waits until the dialogue's END screen was sent, until at most ten seconds after its request.
   *
   * @returns the time at which it was sent, the latest possible one if an earlier process or another gateway sent it;
   *   `openedAt` when that time is unknown.
   */
  async sent(dialogueId: string, openedAt: EpochMs): Promise<EpochMs> {
    const key = screenKey(dialogueId, 'end');
    const pending = this.pending.get(key);
    const unknown = Math.max(openedAt + (this.isShared ? maxWaitMs : 0), this.startedAt ?? 0);
    if (!pending) return this.sentTimes.get(key) ?? unknown;
    const latest = pending.since + maxWaitMs;
    const done = new AbortController();
    const waitMs = Math.max(0, latest - this.clock.now());
    await Promise.race([pending.sent, this.clock.sleep(waitMs, done.signal)]);
    done.abort();
    return this.pending.has(key) ? latest : (this.sentTimes.get(key) ?? latest);
  }
}

/** Another gateway can have sent the END screen while this one sends a menu screen of the dialogue again. */
function screenKey(dialogueId: string, kind: UssdReply['kind']): string {
  return `${kind} ${dialogueId}`;
}

function noReplies(): PendingReplies {
  const { promise: sent, resolve } = Promise.withResolvers<void>();
  return { count: 0, since: 0, sent, resolve };
}
