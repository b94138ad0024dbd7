import { z } from 'zod';
import { createSealKey, isPublicKey, isSealSecret, type ListedKey } from '../ledger/seal-key.ts';

const publicKey = z
  .string()
  .refine(isPublicKey, 'expected a public key, as "dialtill ledger seal-key" prints');

const listedKeyExpected =
  'expected a public key, as "dialtill ledger seal-key" prints, or { key: …, untilBlock: <number of its last block> }';

/** A public key, alone or with the last block that it signed. */
const listedKey = z.union(
  [
    publicKey.transform((key): ListedKey => ({ key })),
    z.strictObject({ key: publicKey, untilBlock: z.int(listedKeyExpected).min(1, listedKeyExpected) }),
  ],
  listedKeyExpected,
);

/**
 * The signatures of the ledger's blocks. A key that no longer signs must have a last block: a thief of it could
 * otherwise sign new blocks.
 */
export const ledger = z
  .strictObject({
    /** Signs each block. */
    sealKey: z
      .string()
      .refine(isSealSecret, 'expected the base64 of 32 bytes, as "openssl rand -base64 32" prints')
      .optional(),
    /** Public keys of earlier keys, and of `sealKey` for commands that run without it. */
    publicKeys: z.array(listedKey).max(100, 'expected at most 100 public keys').default([]),
    /** The first signed block, when blocks were written before signing was enabled. */
    signedFrom: z
      .int('expected a whole number')
      .min(1, 'expected at least 1')
      .max(Number.MAX_SAFE_INTEGER)
      .default(1),
  })
  .superRefine(({ sealKey, publicKeys }, context) => {
    // Also called when a key of the section is invalid.
    if (sealKey === undefined || !isSealSecret(sealKey)) return;
    const current = createSealKey(sealKey).publicKey;
    for (const [i, { key, untilBlock }] of publicKeys.entries()) {
      const isCurrent = key === current;
      if (isCurrent === (untilBlock === undefined)) continue;
      const message = isCurrent
        ? 'expected no untilBlock, because this is the key of ledger.sealKey, which signs new blocks. Generate a new sealKey, or remove untilBlock'
        : 'expected untilBlock, because ledger.sealKey is another key: { key: …, untilBlock: <number of its last block> }. "dialtill ledger verify" prints the number of sealed blocks';
      context.addIssue({ code: 'custom', path: ['publicKeys', i], message });
    }
  });
