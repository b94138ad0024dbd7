import { type Environment, resolveVariable } from '../../../gateway/config/secrets.ts';
import { UserError } from '../../../shared/errors.ts';

/** Reads the key of a merchant's own system from `DIALTILL_MERCHANT_KEY`, or from the file of `DIALTILL_MERCHANT_KEY_FILE`. */
export function readMerchantKey(env: Environment): string {
  const found = resolveVariable('DIALTILL_MERCHANT_KEY', env);
  if ('value' in found && /^dk_(test|live)_\S+$/.test(found.value)) return found.value;
  throw new UserError(
    'expected DIALTILL_MERCHANT_KEY in the environment: "dialtill merchant keys create" prints a key.',
  );
}
