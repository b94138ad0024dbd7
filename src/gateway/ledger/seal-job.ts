import type { Clock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import type { PeriodicJob } from '../worker/queue.ts';
import type { Seal } from './chain.ts';
import type { LedgerStore } from './ledger-store.ts';
import { maxBlockRows, sealBlock } from './seal.ts';
import type { SealKey } from './seal-key.ts';

/** Blocks of one run. The event loop serves payers between two blocks. */
const maxBlocks = 8;

const dayMs = 24 * 60 * 60_000;

/** Returns the job that seals new rows. Each row is sealed within `everyMs` of its write, unless there is a backlog. */
export function sealJob(
  ledger: LedgerStore,
  clock: Clock,
  key: SealKey | undefined,
  everyMs: number,
): PeriodicJob {
  return {
    name: 'seals',
    everyMs,
    async run() {
      for (let blocks = 0; blocks < maxBlocks; blocks++) {
        const block = await sealBlock(ledger, clock, key);
        if (block === undefined || block.rows < maxBlockRows) return 'done';
      }
      return 'more';
    },
  };
}

/** Returns the job that logs the head of the chain each day, so that an archive of the log can anchor it. */
export function headJob(ledger: LedgerStore, log: Log): PeriodicJob {
  return {
    name: 'head',
    everyMs: dayMs,
    async run() {
      const last = await ledger.lastSeal();
      if (last) logHead(log, last);
      return 'done';
    },
  };
}

/** Logs the head of the chain: `dialtill ledger verify --head` finds it in the ledger as long as no row before it changed. */
export function logHead(log: Log, { number, hash, ...ends }: Seal): void {
  const { factSeq, postingSeq, turnSeq, settingSeq, actionSeq } = ends;
  const rows = factSeq + postingSeq + turnSeq + settingSeq + actionSeq;
  log.info({ block: number, head: hash, rows }, 'head of the ledger');
}
