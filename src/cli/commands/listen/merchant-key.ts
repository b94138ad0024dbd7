import { type Environment, fillSecrets } from '../../../gateway/config/secrets.ts';
import { UserError } from '../../../shared/errors.ts';

/** Reads the key of a merchant's own system from `DIALTILL_MERCHANT_KEY`, or from the file of `DIALTILL_MERCHANT_KEY_FILE`. */
export function readMerchantKey(env: Environment): string {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the form in which configuration files name a secret
  const { value } = fillSecrets('${DIALTILL_MERCHANT_KEY}', env);
  if (typeof value === 'string' && /^dk_(test|live)_\S+$/.test(value)) return value;
  throw new UserError(
    'expected DIALTILL_MERCHANT_KEY in the environment: "dialtill merchant keys create" prints a key.',
  );
}
