import type { EpochMs } from '../../shared/clock.ts';
import type { BlockRows, Seal } from './chain.ts';

/** One fault of the ledger: the row, and a description. */
export type LedgerFault = { row: string; fault: string };

/** Reports one fault. */
export type ReportFault = (row: string, fault: string) => void;

/** Upper bound of the reported faults. */
const maxFaults = 1_000;

/** Creates a list of faults and the function that adds to it. Faults beyond the bound are left out. */
export function collectFaults(): { faults: LedgerFault[]; report: ReportFault } {
  const faults: LedgerFault[] = [];
  return {
    faults,
    report(row, fault) {
      if (faults.length < maxFaults) faults.push({ row, fault });
    },
  };
}

/** The result of the audit of a ledger. */
export type LedgerReport = {
  ok: boolean;
  blocks: number;
  facts: number;
  postings: number;
  turns: number;
  collections: number;
  unplaced: number;
  /** Rows after the last block. The next block covers them. */
  unsealed: number;
  /** Hash of the last block, to compare with a copy that is stored elsewhere. */
  head: string;
  /** The block of the noted head, and the number of rows that came after it; null without one, or when it was not found. */
  notedHead: { block: number; rowsAfter: number } | null;
  /** Blocks with and without a signature. `checked` is false when no public key was given. */
  signatures: { checked: boolean; signed: number; unsigned: number };
  /** Blocks that sealed rows long after they were written: a warning, not a fault. */
  lateBlocks: LateBlocks[];
  faults: LedgerFault[];
};

/** Consecutive blocks that sealed, at about the same time, rows which had stayed unsealed while rows were written. */
type LateBlocks = { from: number; to: number; oldestRowAt: EpochMs; sealedAt: EpochMs };

/** A row is late when its block follows it after more than this time. A running gateway seals each row within seconds. */
const lateMs = 15 * 60_000;

/**
 * Rows that were written over a longer time than this, and sealed together, were not sealed by the gateway that wrote them.
 * The rows of a gateway that ended abnormally are late, too, but all of them are from its last seconds.
 */
export const maxUnsealedMs = 5 * 60_000;

/** Blocks of one run follow each other within this time. */
const maxPauseMs = 5 * 60_000;

const maxReported = 100;

type Run = LateBlocks & { newestRowAt: EpochMs };

/** Collects the runs of late blocks, given all blocks in their order. At most 100 runs are returned. */
export function createLateBlocksAudit() {
  const found: LateBlocks[] = [];
  let run: Run | undefined;

  function endRun(): void {
    if (!run) return;
    const { newestRowAt, ...blocks } = run;
    if (newestRowAt - blocks.oldestRowAt > maxUnsealedMs && found.length < maxReported) found.push(blocks);
    run = undefined;
  }

  return {
    add(block: Seal, { facts, postings, turns, settings, actions }: BlockRows): void {
      const late = [facts, postings, turns, settings, actions].flatMap((rows) =>
        rows.map(({ at }) => at).filter((at) => at < block.at - lateMs),
      );
      if (run && block.at - run.sealedAt > maxPauseMs) endRun();
      if (late.length === 0) return;
      run = {
        from: run?.from ?? block.number,
        to: block.number,
        oldestRowAt: Math.min(run?.oldestRowAt ?? block.at, ...late),
        newestRowAt: Math.max(run?.newestRowAt ?? 0, ...late),
        sealedAt: block.at,
      };
    },
    end(): LateBlocks[] {
      endRun();
      return found;
    },
  };
}
