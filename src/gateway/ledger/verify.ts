import { type FactRow, genesis, hashBlock, type PostingRow, type Seal } from './chain.ts';
import type { LedgerStore } from './ledger-store.ts';

/** One fault of the ledger: the row, and a description. */
export type LedgerFault = { row: string; fault: string };

export type LedgerReport = {
  ok: boolean;
  blocks: number;
  facts: number;
  postings: number;
  collections: number;
  /** Rows after the last block. The next block covers them. */
  unsealed: number;
  /** Hash of the last block, to compare with a copy that is stored elsewhere. */
  head: string;
  faults: LedgerFault[];
};

/** Returns the faults of a stored collection, given its facts and its postings. */
export type CollectionAudit = (
  row: Record<string, unknown>,
  facts: readonly FactRow[],
  postings: readonly PostingRow[],
) => string[];

/** Upper bound of the reported faults. */
const maxFaults = 1_000;
const pageSize = 500;
const sealPageSize = 100;

const closingBookings = ['paid', 'suspense'];

/**
 * Audits the whole ledger: its schema; the hash chain; the sum of every booking; the closing booking of each collection (at most one,
 * and exactly one when it is paid); and each row and its postings against its facts. Reads in pages and writes nothing,
 * so it also runs on a live ledger.
 */
export async function verifyLedger(ledger: LedgerStore, audit: CollectionAudit): Promise<LedgerReport> {
  const faults: LedgerFault[] = [];
  const report = (row: string, fault: string) => {
    if (faults.length < maxFaults) faults.push({ row, fault });
  };
  for (const difference of await ledger.schemaDifferences()) report('schema', difference);
  const chain = await verifyChain(ledger, report);
  let collections = 0;
  let after = '';
  for (;;) {
    const rows = await ledger.collections(after, pageSize);
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
  for (const id of await ledger.orphans())
    report(`collection ${id}`, 'has facts or postings, but its row is missing');
  return { ok: faults.length === 0, ...chain, collections, faults };
}

async function verifyChain(ledger: LedgerStore, report: (row: string, fault: string) => void) {
  let last: Seal = genesis;
  let sealed = 0;
  for (;;) {
    const blocks = await ledger.seals(last.number, sealPageSize);
    for (const block of blocks) {
      const range = { limit: block.rows + 1 };
      const facts = await ledger.facts({ after: last.factSeq, upTo: block.factSeq, ...range });
      const postings = await ledger.postings({ after: last.postingSeq, upTo: block.postingSeq, ...range });
      const name = `seal ${block.number}`;
      if (block.number !== last.number + 1)
        report(name, `follows seal ${last.number}: the blocks between them are missing`);
      if (block.previousHash !== last.hash) report(name, 'does not continue the chain');
      if (facts.length + postings.length !== block.rows) {
        report(name, `covers ${block.rows} rows, found ${facts.length + postings.length}`);
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

/** Returns the faults of a collection's postings, given its status. Pure. */
export function postingFaults(status: string, postings: readonly PostingRow[]): string[] {
  const faults: string[] = [];
  const sums = new Map<string, number>();
  for (const one of postings) sums.set(one.booking, (sums.get(one.booking) ?? 0) + one.amountMinor);
  for (const [booking, sum] of sums) {
    if (sum !== 0) faults.push(`its ${booking} booking must sum to 0, found ${sum} pesewas`);
  }
  const closing = closingBookings.filter((booking) => sums.has(booking));
  if (closing.length > 1) faults.push(`has two closing bookings: ${closing.join(' and ')}`);
  const isMerchantCredited = sums.has('paid') || sums.has('release');
  if (status === 'paid' && !isMerchantCredited) faults.push('is paid, but no booking credits the merchant');
  if (
    ['accepted', 'created', 'initiating', 'initiated', 'abandoned', 'expired'].includes(status) &&
    sums.size > 0
  ) {
    faults.push(`is ${status}, but has postings`);
  }
  if (status === 'failed' && isMerchantCredited && !sums.has('reversal'))
    faults.push('is failed, but its booking to the merchant is not reversed');
  return faults;
}
