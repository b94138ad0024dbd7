import { countRows, genesis, type Seal } from './chain.ts';
import type { LedgerStore } from './ledger-store.ts';
import {
  collectFaults,
  createLateBlocksAudit,
  type LedgerFault,
  type LedgerReport,
  type ReportFault,
} from './report.ts';
import { type PublicKeys, signatureFault } from './seal-key.ts';
import { verifyBlocks } from './verify-blocks.ts';

/** Expectations about the chain from outside of the file. */
export type ChainExpectation = {
  /** Keys that blocks may be signed with. Signatures are not checked without one. */
  publicKeys?: PublicKeys | undefined;
  /** The first block that must be signed; 1 by default. */
  signedFrom?: number | undefined;
  /** A hash of a block that was noted elsewhere: the block must still be on the chain. */
  notedHead?: string | undefined;
  /** The hash of a block that was noted elsewhere after an audit: only this block and what follows it is audited. */
  from?: string | undefined;
};

/** The report of the audit of the chain, and its faults. */
export type ChainAudit = { chain: ChainReport; faults: readonly LedgerFault[] };

export type ChainReport = Omit<LedgerReport, 'ok' | 'collections' | 'unplaced' | 'faults'>;

/** Receives the number of rows that were read since the last call. */
export type OnRows = (rows: number) => void;

const sealPageSize = 1_000;

/** Audits the hash chain block by block: its links, its hashes over the stored rows, its signatures, and the noted head. */
export async function auditChain(
  ledger: LedgerStore,
  expectation: ChainExpectation,
  range: { start: Seal; onRows: OnRows },
): Promise<ChainAudit> {
  const { faults, report } = collectFaults();
  return { chain: await verifyChain(ledger, expectation, report, range), faults };
}

async function verifyChain(
  ledger: LedgerStore,
  expectation: ChainExpectation,
  report: ReportFault,
  { start, onRows }: { start: Seal; onRows: OnRows },
): Promise<ChainReport> {
  const signatures = createSignatureAudit(expectation, report);
  const late = createLateBlocksAudit();
  const { notedHead } = expectation;
  let noted = notedHead === genesis.hash ? { block: 0, sealed: 0 } : undefined;
  let last = start;
  let sealed = 0;
  for (let blocks = await ledger.seals(start.number, sealPageSize); blocks.length > 0; ) {
    for await (const { block, rows } of verifyBlocks(ledger, last, blocks, report)) {
      sealed += countRows(rows);
      onRows(block.rows);
      signatures.add(block);
      late.add(block, rows);
      if (block.hash === notedHead) noted = { block: block.number, sealed };
      last = block;
    }
    blocks = await ledger.seals(last.number, sealPageSize);
  }
  const { facts, postings, turns, deletedTurns, settings, actions } =
    start.number === 0 ? await ledger.counts() : await ledger.countsAfter(start);
  const all = facts + postings + turns + deletedTurns + settings + actions;
  if (notedHead !== undefined && noted === undefined) {
    report(
      'head',
      `no block has the hash ${notedHead}: sealed rows were removed or changed after it was noted, or it is the head of another ledger`,
    );
  }
  return {
    blocks: last.number,
    ...{ facts, postings, turns },
    unsealed: Math.max(0, all - sealed),
    head: last.hash,
    notedHead: noted ? { block: noted.block, rowsAfter: all - noted.sealed } : null,
    signatures: signatures.end(),
    lateBlocks: late.end(),
  };
}

/**
 * Returns the block before the first one to audit: the predecessor of `from`, whose own hash is thereby verified. A tampered
 * end of the predecessor changes the rows of `from` and so its hash.
 */
export async function startOfAudit(
  ledger: LedgerStore,
  from: string | undefined,
  report: ReportFault,
): Promise<Seal> {
  if (from === undefined || from === genesis.hash) return genesis;
  const block = await ledger.sealByHash(from);
  if (block === undefined)
    report('head', `no block has the hash ${from}: the whole ledger is audited instead`);
  if (block === undefined || block.number <= 1) return genesis;
  const [previous] = await ledger.seals(block.number - 2, 1);
  return previous ?? genesis;
}

const faultTexts = {
  unsigned: 'not signed. If signing began later, set ledger.signedFrom to the first signed block',
  removed_key: 'not signed, although an earlier block is signed. Set ledger.sealKey again',
  unknown_key: 'signed with an unknown key',
  retired_key: 'signed after the last block of its key (ledger.publicKeys, untilBlock)',
  invalid: 'signed with an invalid signature',
};

/** Checks the signatures of consecutive blocks. Neighbours with the same fault are reported together. */
function createSignatureAudit({ publicKeys, signedFrom = 1 }: ChainExpectation, report: ReportFault) {
  const isChecked = publicKeys !== undefined && publicKeys.size > 0;
  let signed = 0;
  let unsigned = 0;
  let run: { text: string; from: number; to: number } | undefined;

  function endRun(): void {
    if (!run) return;
    const { text, from, to } = run;
    report(from === to ? `seal ${from}` : `seals ${from} to ${to}`, text);
    run = undefined;
  }

  function findFault(block: Seal): string | undefined {
    if (block.signature === null && block.number < signedFrom) return undefined;
    // Also without a known key: a ledger that was signed before stays signed.
    if (block.signature === null && signed > 0) return faultTexts.removed_key;
    const fault = isChecked ? signatureFault(block, publicKeys) : undefined;
    if (fault === undefined) return undefined;
    const isKeyNamed = fault === 'unknown_key' || fault === 'retired_key';
    return isKeyNamed ? `${faultTexts[fault]} ${block.keyId}` : faultTexts[fault];
  }

  return {
    add(block: Seal): void {
      if (block.signature === null) unsigned += 1;
      else signed += 1;
      const text = findFault(block);
      if (run && run.text !== text) endRun();
      if (text !== undefined) run = { text, from: run?.from ?? block.number, to: block.number };
    },
    end(): LedgerReport['signatures'] {
      endRun();
      return { checked: isChecked, signed, unsigned };
    },
  };
}
