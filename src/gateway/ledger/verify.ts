import { type FactRow, genesis, hashBlock, type PostingRow, type Seal } from './chain.ts';
import type { LedgerStore } from './ledger-store.ts';

/** One thing that is off: which row, and what about it. */
export type LedgerFault = { row: string; fault: string };

export type LedgerReport = {
  ok: boolean;
  blocks: number;
  facts: number;
  postings: number;
  collections: number;
  /** Rows written after the last block; they will be covered by the next one. */
  unsealed: number;
  /** Hash of the last block: what a printed or mailed seal is compared with. */
  head: string;
  faults: LedgerFault[];
};

/** What is wrong with a stored collection, given its facts and its postings. */
export type CollectionAudit = (
  row: Record<string, unknown>,
  facts: readonly FactRow[],
  postings: readonly PostingRow[],
) => string[];

/** Faults listed at most; a broken ledger need not be recited. */
const maxFaults = 1_000;
const page = 500;

const closingBookings = ['paid', 'suspense'];

/**
 * Audits the whole ledger: the hash chain, that every booking sums to zero, that a collection has at most one
 * closing booking and exactly one when it is paid, and that each collection's row is what its facts say. Reads
 * only, in pages; give it a snapshot or a live ledger.
 */
export async function verifyLedger(ledger: LedgerStore, audit: CollectionAudit): Promise<LedgerReport> {
  const faults: LedgerFault[] = [];
  const report = (row: string, fault: string) => {
    if (faults.length < maxFaults) faults.push({ row, fault });
  };
  const chain = await verifyChain(ledger, report);
  let collections = 0;
  let after = '';
  for (;;) {
    const rows = await ledger.collections(after, page);
    for (const row of rows) {
      collections += 1;
      const facts = await ledger.factsOf(row.id);
      const postings = await ledger.postingsOf(row.id);
      for (const fault of audit(row, facts, postings)) report(`collection ${row.id}`, fault);
      for (const fault of postingFaults(row.status, postings)) report(`collection ${row.id}`, fault);
    }
    const last = rows.at(-1);
    if (!last) break;
    after = last.id;
  }
  for (const id of await ledger.strays())
    report(`collection ${id}`, 'has facts or postings, but its row is missing');
  return { ok: faults.length === 0, ...chain, collections, faults };
}

async function verifyChain(ledger: LedgerStore, report: (row: string, fault: string) => void) {
  let last: Seal = genesis;
  let sealed = 0;
  for (;;) {
    const blocks = await ledger.seals(last.number, 100);
    for (const block of blocks) {
      const range = { limit: block.rows + 1 };
      const facts = await ledger.facts({ after: last.factSeq, upTo: block.factSeq, ...range });
      const postings = await ledger.postings({ after: last.postingSeq, upTo: block.postingSeq, ...range });
      const name = `seal ${block.number}`;
      if (block.number !== last.number + 1)
        report(name, `follows seal ${last.number}: blocks are missing between`);
      if (block.previousHash !== last.hash) report(name, 'does not continue the chain');
      if (facts.length + postings.length !== block.rows) {
        report(name, `covers ${block.rows} rows, but ${facts.length + postings.length} are there`);
      } else if (hashBlock(block.previousHash, facts, postings) !== block.hash) {
        report(
          name,
          `its hash does not match: a fact up to ${block.factSeq} or a posting up to ${block.postingSeq} was changed`,
        );
      }
      sealed += facts.length + postings.length;
      last = block;
    }
    if (blocks.length === 0) break;
  }
  const total = await ledger.counts();
  return {
    blocks: last.number,
    ...total,
    unsealed: Math.max(0, total.facts + total.postings - sealed),
    head: last.hash,
  };
}

/** What is wrong with a collection's postings, given its status. Pure. */
export function postingFaults(status: string, postings: readonly PostingRow[]): string[] {
  const faults: string[] = [];
  const sums = new Map<string, number>();
  for (const one of postings) sums.set(one.booking, (sums.get(one.booking) ?? 0) + one.amountMinor);
  for (const [booking, sum] of sums) {
    if (sum !== 0) faults.push(`its ${booking} booking sums to ${sum} pesewas instead of 0`);
  }
  const closing = closingBookings.filter((booking) => sums.has(booking));
  if (closing.length > 1) faults.push(`has two closing bookings: ${closing.join(' and ')}`);
  const settled = sums.has('paid') || sums.has('release');
  if (status === 'paid' && !settled) faults.push('is paid, but no booking gives the merchant the money');
  if (
    ['accepted', 'created', 'initiating', 'initiated', 'abandoned', 'expired'].includes(status) &&
    sums.size > 0
  ) {
    faults.push(`is ${status}, but has postings`);
  }
  if (status === 'failed' && settled && !sums.has('reversal'))
    faults.push('is failed, but the merchant keeps the money');
  return faults;
}
