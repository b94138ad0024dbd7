import type { EpochMs } from '../../../shared/clock.ts';

/** Maximum number of remembered replies. The oldest is forgotten first. */
const maxReplies = 10_000;

/**
 * The times of replies that no turn stores, such as the answer to an input after the end of its session. Some aggregators'
 * replies contain a time: with the first one, a repeated request gets the same bytes.
 */
export class ReplyTimes {
  /** The time of each reply, and until when it is remembered, by session and text. */
  private readonly times = new Map<string, { at: EpochMs; until: EpochMs }>();
  private readonly lifetimeMs: number;

  /** @param lifetimeMs how long a repeat can arrive. */
  constructor(lifetimeMs: number) {
    this.lifetimeMs = lifetimeMs;
  }

  /** Returns the time of the first equal reply in its session, or `at` for the first one. */
  first(session: string, text: string, at: EpochMs, now: EpochMs): EpochMs {
    const key = `${session}\n${text}`;
    const known = this.times.get(key);
    if (known && now <= known.until) return known.at;
    this.times.delete(key);
    this.times.set(key, { at, until: now + this.lifetimeMs });
    const [oldest] = this.times.keys();
    if (this.times.size > maxReplies && oldest !== undefined) this.times.delete(oldest);
    return at;
  }
}
