import { accountStore } from './accounts/account-store.ts';
import type { AccountDeps } from './accounts/deps.ts';
import { createPasswords } from './accounts/password.ts';
import type { GatewayContext } from './context.ts';
import { createSecretCipher } from './notify/secret-cipher.ts';
import type { Storage } from './storage.ts';

/** Creates what the console and the commands sign people in with; `undefined` without `console` in the configuration. */
export function createAccountDeps(
  { config, clock, ids, livemode, passwordCost }: GatewayContext,
  { store }: Pick<Storage, 'store'>,
): AccountDeps | undefined {
  if (!config.console) return undefined;
  return {
    accounts: accountStore(store),
    passwords: createPasswords(ids, passwordCost),
    cipher: createSecretCipher(config.console.secretsKey, ids),
    ...{ clock, ids, livemode },
  };
}
