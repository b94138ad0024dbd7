import type { Clock } from '../../shared/clock.ts';
import { genesis, hashBlock, type Seal } from './chain.ts';
import type { LedgerStore } from './ledger-store.ts';

/** Rows of each kind in one block; a backlog is sealed block by block. */
const maxBlock = 5_000;

/**
 * Seals what was written since the last block. Safe to call at any time and from anywhere: the block's number is
 * its key, so the second of two sealers writes nothing.
 *
 * @returns the new block, or `undefined` when there was nothing to seal or another sealer was faster.
 */
export async function sealBlock(ledger: LedgerStore, clock: Clock): Promise<Seal | undefined> {
  const last = (await ledger.lastSeal()) ?? genesis;
  const range = { upTo: Number.MAX_SAFE_INTEGER, limit: maxBlock };
  const facts = await ledger.facts({ after: last.factSeq, ...range });
  const postings = await ledger.postings({ after: last.postingSeq, ...range });
  if (facts.length + postings.length === 0) return undefined;
  const block: Seal = {
    number: last.number + 1,
    factSeq: facts.at(-1)?.seq ?? last.factSeq,
    postingSeq: postings.at(-1)?.seq ?? last.postingSeq,
    rows: facts.length + postings.length,
    previousHash: last.hash,
    hash: hashBlock(last.hash, facts, postings),
    at: Math.max(clock.now(), last.at),
  };
  return (await ledger.appendSeal(block)) ? block : undefined;
}
