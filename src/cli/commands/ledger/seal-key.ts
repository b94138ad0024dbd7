import type { ConfiguredSealKeys } from '../../../gateway/config/find-seal-keys.ts';
import { UserError } from '../../../shared/errors.ts';
import { addDatabaseOptions, type CommandGroup } from '../../command-options.ts';
import type { DatabaseOptions } from '../../open-reads.ts';
import { printJson } from '../../terminal/output.ts';
import type { Output } from '../../terminal/protected-output.ts';

export type SealKeyDeps = {
  stdout: Output;
  /** Returns the keys of the configuration. */
  sealKeys?(options: DatabaseOptions): ConfiguredSealKeys;
};

type SealKeyOptions = DatabaseOptions & { json?: boolean; new?: boolean };

export function registerSealKey({ add }: CommandGroup, deps: SealKeyDeps): void {
  addDatabaseOptions(
    add({
      usage: 'seal-key',
      description: 'print the id and the public key of ledger.sealKey',
      examples: ['seal-key', 'seal-key --new'],
    }),
  )
    .option('--new', 'generate a key, and print its secret too')
    .action((options: SealKeyOptions) => sealKey(deps, options));
}

/**
 * Prints the id and the public key of `ledger.sealKey`, or of a new key together with its secret.
 *
 * @throws UserError when the configuration has no key.
 */
async function sealKey({ stdout, sealKeys }: SealKeyDeps, options: SealKeyOptions): Promise<void> {
  const [{ createSealKey, generateSealSecret }, { systemClock }, { systemIds }] = await Promise.all([
    import('../../../gateway/ledger/seal-key.ts'),
    import('../../../shared/clock.ts'),
    import('../../../shared/ids.ts'),
  ]);
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
