import type { Hono } from 'hono';
import { createSecretCipher } from '../../kit/secret-cipher.ts';
import { InFlightLimit } from '../../shared/limits/in-flight-limit.ts';
import { readAssets } from '../../shared/pages/assets.ts';
import { accountStore } from '../accounts/account-store.ts';
import { onlyOpenAccounts } from '../accounts/open-account.ts';
import { createPasskeyChallenges, loadWebAuthn, passkeySite } from '../accounts/passkey-ceremony.ts';
import { passkeyStore } from '../accounts/passkey-store.ts';
import type { PasskeyDeps } from '../accounts/passkeys.ts';
import { createPasswords } from '../accounts/password.ts';
import { savedViewStore } from '../accounts/saved-view-store.ts';
import type { AccountDeps } from '../accounts/session.ts';
import { createConsoleApp } from '../console/console-app.tsx';
import type { ConsoleContext, ConsoleEnv } from '../console/define-route.ts';
import { maxExports } from '../console/parts/exports.tsx';
import { liveLimits } from '../console/payment-live.ts';
import { limitDigitSearches } from '../console/scope.ts';
import type { GatewayContext } from './context.ts';
import type { Storage } from './storage.ts';

/** Creates what the console and the commands sign people in with; `undefined` without `console` in the configuration. */
export function createAccountDeps(
  { config, clock, ids, livemode, passwords, openAccounts, hasOnlyOpenAccounts }: GatewayContext,
  { store }: Pick<Storage, 'store'>,
): AccountDeps | undefined {
  if (!config.console) return undefined;
  const accounts = accountStore(store);
  return {
    accounts: hasOnlyOpenAccounts ? onlyOpenAccounts(accounts, openAccounts) : accounts,
    passwords: passwords ?? createPasswords(ids),
    cipher: createSecretCipher(config.console.secretsKey, ids),
    ...{ clock, ids, livemode },
  };
}

/** The parts of the gateway that the console uses. */
type ConsoleParts = Pick<
  ConsoleContext,
  'accounts' | 'alerts' | 'operations' | 'trustedProxies' | 'reader' | 'condition' | 'closing'
>;

/** Creates the console; `undefined` without `console` in the configuration. */
export function createConsole(
  { config, clock, livemode, log, rejections, openAccounts }: GatewayContext,
  { store }: Storage,
  parts: ConsoleParts,
): Hono<ConsoleEnv> | undefined {
  if (!config.console) return undefined;
  if (livemode === 1 && openAccounts.length > 0) throw new Error('a live gateway has no open accounts');
  return createConsoleApp({
    ...{ ...parts, clock, log, openAccounts, wrongSignIns: rejections.wrongSignIns },
    reader: limitDigitSearches(parts.reader, parts.accounts),
    passkeys: passkeyDeps(parts.accounts, store, config.console),
    views: savedViewStore(store),
    assets: readAssets('console'),
    publicUrl: new URL(config.console.publicUrl),
    exports: new InFlightLimit(maxExports),
    streams: new InFlightLimit(liveLimits),
  });
}

/** Returns what passkeys use; `undefined` where browsers create none. */
function passkeyDeps(
  accounts: AccountDeps,
  store: Storage['store'],
  { publicUrl, secretsKey }: { publicUrl: string; secretsKey: string },
): PasskeyDeps | undefined {
  const site = passkeySite(new URL(publicUrl));
  if (!site) return undefined;
  // Loaded before the first use, which would otherwise delay it.
  void loadWebAuthn();
  const challenges = createPasskeyChallenges(secretsKey, accounts);
  return { ...accounts, passkeys: passkeyStore(store), challenges, site };
}
