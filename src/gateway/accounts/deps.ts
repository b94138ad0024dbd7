import type { SecretCipher } from '../../kit/secret-cipher.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import type { AccountStore } from './account-store.ts';
import type { Passwords } from './password.ts';

/** What signing in uses. */
export type AccountDeps = {
  accounts: AccountStore;
  passwords: Passwords;
  /** Encrypts the seeds of one-time passwords in the database. */
  cipher: SecretCipher;
  clock: Pick<Clock, 'now'>;
  ids: Pick<Ids, 'next' | 'secret'>;
  livemode: 0 | 1;
};
