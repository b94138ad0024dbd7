import type { LateBlocks } from './late-blocks.ts';

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
