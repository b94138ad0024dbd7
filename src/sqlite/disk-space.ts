import { type Clock, monotonicMs } from '../shared/clock.ts';
import type { Log } from '../shared/log.ts';
import type { Store, Write } from './store.ts';

export type DiskSpace = ReturnType<typeof createDiskSpace>;

const see = 'docs/operations/full-disk.md';

/** Time between probes. A probe costs a commit. */
const probeEveryMs = 5_000;

/** Changes no value, but is written to the disk, which is the cheapest test for space. */
const probe: Write = { sql: 'UPDATE ledger_file SET id = id', args: [] };

/**
 * Tracks whether the disk has space: it is full from the first write that finds no space until a write succeeds.
 *
 * @param serverProbe needs new space on the disk of a server, where other writes can succeed although it is full: only this
 *   one shows that it has space again.
 */
export function createDiskSpace(
  clock: Pick<Clock, 'now' | 'monotonic'>,
  log: Log,
  serverProbe?: readonly Write[],
) {
  let isFull = false;
  let probedAt = Number.NEGATIVE_INFINITY;
  function change(full: boolean): void {
    if (full === isFull) return;
    isFull = full;
    if (full) log.error({ alarm: 'disk_full', see }, 'the disk is full: nothing can be written');
    else log.warn('the disk has space again');
  }
  return {
    /** Records a change that the store reported. */
    setFull(full: boolean): void {
      if (full || !serverProbe) change(full);
    },
    /** Returns whether the disk has space. Probes a full disk every five seconds. */
    async isAvailable(store: Pick<Store, 'apply'>): Promise<boolean> {
      if (isFull && monotonicMs(clock) >= probedAt + probeEveryMs) {
        probedAt = monotonicMs(clock);
        // The store reports the result to `setFull`.
        const isWritten = await store.apply(serverProbe ?? [probe]).catch(() => false);
        if (isWritten) change(false);
      }
      return !isFull;
    },
  };
}
