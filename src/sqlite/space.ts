import { type Clock, monotonicMs } from '../shared/clock.ts';
import type { Log } from '../shared/log.ts';
import type { Store, Write } from './store.ts';

export type Space = ReturnType<typeof createDiskSpace>;

const see = 'docs/operations.md';

/** A try costs a commit, and nothing else writes while nobody is sent here. */
const tryEveryMs = 5_000;

/** Changes nothing, and is written to the disk all the same: whether there is space cannot be learnt for less. */
const sameAgain: Write = { sql: 'UPDATE ledger_file SET id = id', args: [] };

/**
 * Whether the disk takes what is written: not from the first write on that found no space, until one succeeds. Where
 * nobody writes any more, whoever asks makes a try now and then.
 */
export function createDiskSpace(clock: Pick<Clock, 'now' | 'monotonic'>, log: Log) {
  let isFull = false;
  let triedAt = Number.NEGATIVE_INFINITY;
  return {
    /** Told by the store whenever that changes. */
    changed(full: boolean): void {
      isFull = full;
      if (full) log.error({ alarm: 'disk_full', see }, 'the disk is full: nothing can be written');
      else log.warn('there is space on the disk again');
    },
    async isThere(store: Pick<Store, 'apply'>): Promise<boolean> {
      if (isFull && monotonicMs(clock) >= triedAt + tryEveryMs) {
        triedAt = monotonicMs(clock);
        // What comes of it is told by the store.
        await store.apply([sameAgain]).catch(() => {});
      }
      return !isFull;
    },
  };
}
