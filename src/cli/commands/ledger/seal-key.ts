import { createSealKey, generateSealSecret } from '../../../gateway/ledger/seal-key.ts';
import { systemClock } from '../../../shared/clock.ts';
import { UserError } from '../../../shared/errors.ts';
import { systemIds } from '../../../shared/ids.ts';
import { printJson } from '../../terminal/output.ts';
import type { LedgerDeps, SealKeyOptions } from './types.ts';

/**
 * Prints the id and the public key of `ledger.sealKey`, or of a new key together with its secret.
 *
 * @throws UserError when the configuration has no key.
 */
export async function sealKeyCommand(
  { stdout, sealKeys }: LedgerDeps,
  options: SealKeyOptions,
): Promise<void> {
  const secret = options.new ? generateSealSecret(systemIds(systemClock())) : undefined;
  const key = secret === undefined ? sealKeys?.(options).sealKey : createSealKey(secret);
  if (!key) {
    throw new UserError(
      'ledger.sealKey is not configured, or its environment variable is not set. To generate a key, run: dialtill ledger seal-key --new',
    );
  }
  const { id, publicKey } = key;
  if (options.json) return printJson(stdout, { id, publicKey, ...(secret !== undefined && { secret }) });
  stdout.write(`key id      ${id}\npublic key  ${publicKey}\n`);
  if (secret !== undefined)
    stdout.write(`secret      ${secret}   (ledger.sealKey: keep it outside of the database)\n`);
}
