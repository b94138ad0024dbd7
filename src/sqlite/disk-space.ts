import { type Clock, monotonicMs } from '../shared/clock.ts';
import type { Log } from '../shared/log.ts';
import type { Store, Write } from './store.ts';

export type DiskSpace = ReturnType<typeof createDiskSpace>;

const see = 'docs/operations.md';

/** Time between probes. A probe costs a commit. */
const probeEveryMs = 5_000;

/** Changes no value, but is written to the disk, which is the cheapest test for space. */
const probe: Write = { sql: 'UPDATE ledger_file SET id = id', args: [] };

/** Tracks whether the disk has space: it is full from the first write that finds no space until a write succeeds. */
export function createDiskSpace(clock: Pick<Clock, 'now' | 'monotonic'>, log: Log) {
  let isFull = false;
  let probedAt = Number.NEGATIVE_INFINITY;
  return {
    /** Records a change that the store reported. */
    setFull(full: boolean): void {
      isFull = full;
      if (full) log.error({ alarm: 'disk_full', see }, 'the disk is full: nothing can be written');
      else log.warn('the disk has space again');
    },
    /** Returns whether the disk has space. Probes a full disk every five seconds. */
    async isAvailable(store: Pick<Store, 'apply'>): Promise<boolean> {
      if (isFull && monotonicMs(clock) >= probedAt + probeEveryMs) {
        probedAt = monotonicMs(clock);
        // The store reports the result to `setFull`.
        await store.apply([probe]).catch(() => {});
      }
      return !isFull;
    },
  };
}
