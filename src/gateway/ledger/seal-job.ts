import type { Clock } from '../../shared/clock.ts';
import type { PeriodicJob } from '../worker/periodic.ts';
import type { LedgerStore } from './ledger-store.ts';
import { sealBlock } from './seal.ts';

/** Returns the job that seals new facts and postings. Each row is sealed within `everyMs` of its write. */
export function sealJob(ledger: LedgerStore, clock: Clock, everyMs: number): PeriodicJob {
  return {
    name: 'seals',
    everyMs,
    async run() {
      await sealBlock(ledger, clock);
      return 'done';
    },
  };
}
