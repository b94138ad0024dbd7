import type { Clock } from '../../shared/clock.ts';
import { genesis, hashBlock, type Seal } from './chain.ts';
import type { LedgerStore } from './ledger-store.ts';

/** Upper bound of the rows of each kind in one block. A backlog takes several blocks. */
const maxBlockRows = 5_000;

/**
 * Seals the facts and postings after the last block. Safe to call concurrently: the block's number is its key, so the
 * second of two sealers writes nothing.
 *
 * @returns the new block, or `undefined` when there was nothing to seal or another sealer was faster.
 */
export async function sealBlock(ledger: LedgerStore, clock: Clock): Promise<Seal | undefined> {
  const last = (await ledger.lastSeal()) ?? genesis;
  const range = { upTo: Number.MAX_SAFE_INTEGER, limit: maxBlockRows };
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
