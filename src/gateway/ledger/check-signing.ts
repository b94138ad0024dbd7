import type { Log } from '../../shared/log.ts';
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

/**
 * Checks the signatures when a gateway starts: warns when a live ledger has no key, and raises an alarm when the last block
 * has no valid signature.
 */
export async function checkSigning(
  ledger: LedgerStore,
  { key, publicKeys, signedFrom, livemode }: SigningSettings,
  log: Log,
): Promise<void> {
  if (!key) {
    if (livemode === 1)
      log.warn({ see: 'docs/operations.md' }, 'blocks of the ledger are not signed: set ledger.sealKey');
    return;
  }
  const last = await ledger.lastSeal();
  const fault = last && last.number >= signedFrom ? signatureFault(last, publicKeys) : undefined;
  if (last && fault) {
    log.error(
      { alarm: 'ledger_signature', block: last.number, fault, see: 'docs/operations.md' },
      'the last block of the ledger has no valid signature: run dialtill ledger verify',
    );
  }
}
