import type { Clock } from '../../shared/clock.ts';
import type { Queue } from '../worker/queue.ts';
import type { LedgerStore } from './ledger-store.ts';
import { sealBlock } from './seal.ts';

/**
 * Sealing as a queue with one job that is always due again.
 *
 * @param everyMs pause between blocks: what was written lately is sealed within this time.
 */
export function sealQueue(ledger: LedgerStore, clock: Clock, everyMs: number): Queue {
  let nextAt = 0;
  return {
    name: 'seals',
    async claim(now, limit) {
      if (now < nextAt || limit < 1) return [];
      nextAt = now + everyMs;
      return [
        async () => {
          await sealBlock(ledger, clock);
        },
      ];
    },
    nextDueAt: async () => nextAt,
  };
}
