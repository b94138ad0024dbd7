import { createHash } from 'node:crypto';
import type { EpochMs } from '../../shared/clock.ts';

export type FactRow = {
  seq: number;
  collectionId: string;
  merchantId: string;
  version: number;
  kind: string;
  data: string;
  at: EpochMs;
};

export type PostingRow = {
  seq: number;
  collectionId: string;
  merchantId: string;
  livemode: number;
  booking: string;
  account: string;
  amountMinor: number;
  at: EpochMs;
};

/** A block of the hash chain: it covers all facts and postings after the previous block, up to its sequence numbers. */
export type Seal = {
  number: number;
  factSeq: number;
  postingSeq: number;
  rows: number;
  previousHash: string;
  hash: string;
  at: EpochMs;
};

/** The predecessor of the first block. */
export const genesis: Seal = {
  number: 0,
  factSeq: 0,
  postingSeq: 0,
  rows: 0,
  previousHash: '',
  hash: '0'.repeat(64),
  at: 0,
};

/**
 * Returns the hash of a block: SHA-256 over the previous hash and each row as a JSON array on its own line, facts first,
 * in the order of their sequence numbers. JSON separates neighbouring fields unambiguously.
 */
export function hashBlock(
  previousHash: string,
  facts: readonly FactRow[],
  postings: readonly PostingRow[],
): string {
  const hash = createHash('sha256').update(previousHash);
  for (const row of facts) {
    const { seq, collectionId, merchantId, version, kind, data, at } = row;
    hash.update(`\n${JSON.stringify(['fact', seq, collectionId, merchantId, version, kind, data, at])}`);
  }
  for (const row of postings) {
    const { seq, collectionId, merchantId, livemode, booking, account, amountMinor, at } = row;
    hash.update(
      `\n${JSON.stringify(['posting', seq, collectionId, merchantId, livemode, booking, account, amountMinor, at])}`,
    );
  }
  return hash.digest('hex');
}
