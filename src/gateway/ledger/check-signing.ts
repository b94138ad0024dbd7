import type { Log } from '../../shared/log.ts';
import { genesis } from './chain.ts';
import { maxUnsealedMs } from './late-blocks.ts';
import type { LedgerStore } from './ledger-store.ts';
import { type PublicKeys, type SealKey, signatureFault } from './seal-key.ts';

export type SigningSettings = {
  /** Signs the blocks; undefined when the gateway has no key. */
  key: SealKey | undefined;
  /** All keys that blocks may be signed with. */
  publicKeys: PublicKeys;
  /** The first block that must be signed. */
  signedFrom: number;
  livemode: 0 | 1;
};

/** `missing`: new blocks are not signed, although earlier ones are or public keys are configured. */
export type SigningState = 'ok' | 'missing';

/**
 * Checks the signatures when a gateway starts. Must run before the gateway writes or seals a row.
 *
 * Warns when a live ledger has no key. Raises an alarm when new blocks are not signed although public keys are configured or
 * the last block is signed, the last block has no valid signature, or rows were written over minutes without a block: the
 * next block would sign them.
 */
export async function checkSigning(
  ledger: LedgerStore,
  { key, publicKeys, signedFrom, livemode }: SigningSettings,
  log: Log,
): Promise<SigningState> {
  const alarm = { alarm: 'ledger_signature', see: 'docs/operations/tampering.md' };
  const last = await ledger.lastSeal();
  const wasSigned = last !== undefined && last.signature !== null && last.number >= signedFrom;
  if (publicKeys.size === 0) {
    if (wasSigned)
      log.error(
        { ...alarm, block: last.number },
        'the last block of the ledger is signed, but new blocks are not: set ledger.sealKey',
      );
    else if (livemode === 1)
      log.warn(
        { see: 'docs/operations/tampering.md' },
        'blocks of the ledger are not signed: set ledger.sealKey',
      );
    return wasSigned ? 'missing' : 'ok';
  }
  if (!key) log.error(alarm, 'ledger.publicKeys is set, but blocks are not signed: set ledger.sealKey');
  const fault = last && last.number >= signedFrom ? signatureFault(last, publicKeys) : undefined;
  if (last && fault) {
    log.error(
      { ...alarm, block: last.number, fault },
      'the last block of the ledger has no valid signature: run dialtill ledger verify',
    );
  }
  const unsealed = await ledger.unsealedTimes(last ?? genesis);
  if (unsealed && (!last || unsealed.newest - unsealed.oldest > maxUnsealedMs)) {
    log.error(
      { ...alarm, block: last?.number ?? 0, unsealedSince: new Date(unsealed.oldest).toISOString() },
      'rows of the ledger have no block: blocks may have been removed. Run dialtill ledger verify --head',
    );
  }
  return key ? 'ok' : 'missing';
}
