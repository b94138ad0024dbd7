import { createSecretCipher } from '../../kit/secret-cipher.ts';
import { accountStore } from '../accounts/account-store.ts';
import type { AccountDeps } from '../accounts/deps.ts';
import { onlyOpenAccounts } from '../accounts/open-account.ts';
import { createPasswords } from '../accounts/password.ts';
import type { GatewayContext } from './context.ts';
import type { Storage } from './storage.ts';

/** Creates what the console and the commands sign people in with; `undefined` without `console` in the configuration. */
export function createAccountDeps(
  { config, clock, ids, livemode, passwordCost, openAccounts, hasOnlyOpenAccounts }: GatewayContext,
  { store }: Pick<Storage, 'store'>,
): AccountDeps | undefined {
  if (!config.console) return undefined;
  const accounts = accountStore(store);
  return {
    accounts: hasOnlyOpenAccounts ? onlyOpenAccounts(accounts, openAccounts) : accounts,
    passwords: createPasswords(ids, passwordCost),
    cipher: createSecretCipher(config.console.secretsKey, ids),
    ...{ clock, ids, livemode },
  };
}
