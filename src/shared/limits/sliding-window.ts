import type { LRUCache } from 'lru-cache';
import type { EpochMs } from '../clock.ts';
import { createLruMap } from './lru-map.ts';

export type SlidingWindowOptions = {
  /** Events allowed for each key within the window. */
  limit: number;
  windowMs: number;
  /** Keys that are remembered. The key whose last event is the oldest is dropped first. */
  maxKeys: number;
};

/** Allows a number of events per key within the time that has just passed. */
export class SlidingWindow {
  private readonly options: SlidingWindowOptions;
  /** Times of the events in the window, by key. */
  private readonly events: LRUCache<string, readonly EpochMs[]>;

  constructor(options: SlidingWindowOptions) {
    this.options = options;
    this.events = createLruMap(options.maxKeys);
  }

  /** Returns whether the key may have one more event. Counts nothing. */
  allows(key: string, now: EpochMs): boolean {
    return this.waitMs(key, now) === 0;
  }

  /** Returns the milliseconds until the key may have one more event; 0 when it may have one now. */
  waitMs(key: string, now: EpochMs): number {
    const { limit, windowMs } = this.options;
    const recent = this.recent(key, now);
    const oldest = recent.at(-limit);
    return oldest === undefined ? 0 : oldest + windowMs - now;
  }

  /** Counts an event. Keeps at most `limit` events of a key. */
  record(key: string, now: EpochMs): void {
    this.events.set(key, [...this.recent(key, now), now].slice(-this.options.limit));
  }

  private recent(key: string, now: EpochMs): readonly EpochMs[] {
    return (this.events.peek(key) ?? []).filter((at) => now - at < this.options.windowMs);
  }
}
