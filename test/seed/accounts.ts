import { createHash } from 'node:crypto';
import { accountWrites } from '../../src/gateway/accounts/account-store.ts';
import { tokenPrefix } from '../../src/gateway/accounts/command-token.ts';
import { createPasswords } from '../../src/gateway/accounts/password.ts';
import { createSecretCipher } from '../../src/kit/secret-cipher.ts';
import type { Clock } from '../../src/shared/clock.ts';
import { systemIds } from '../../src/shared/ids.ts';
import type { Store, Write } from '../../src/sqlite/store.ts';
import type { SeedSecrets } from './files.ts';
import { type StaffName, staffNames, staffPassword, staffRoles } from './shops.ts';

const accountIdOf = (name: StaffName) => `acc_of_${name}`;

const secretOf = (name: StaffName) => `token-of-${name}`;

/** The token of a person while the week is played. No person needs it afterwards. */
export const tokenOf = (name: StaffName) => `${tokenPrefix}${secretOf(name)}`;

/** Adds the accounts of support staff, with their passwords and one-time passwords, and a token for each that does not end. */
export async function addAccounts(
  store: Store,
  { console, staff }: SeedSecrets,
  clock: Clock,
): Promise<void> {
  const ids = systemIds(clock);
  const passwords = createPasswords(ids);
  const cipher = createSecretCipher(console, ids);
  const writes: Write[] = [];
  for (const name of staffNames) {
    const id = accountIdOf(name);
    const seed = cipher.encrypt(staff[name], id);
    writes.push(
      accountWrites.insert({
        ...{ id, name, role: staffRoles[name], merchantId: null, createdAt: clock.now(), disabledAt: null },
        ...{ password: await passwords.hash(staffPassword), seed, nextSeed: null },
        ...{ lastStep: 0, lastNetwork: null, decidesFrom: null, codeDigest: null, codeUntil: null },
      }),
      accountWrites.insertSession(createToken(name)),
    );
  }
  if (!(await store.apply(writes))) throw new Error('the accounts were not added');
}

/** Ends the tokens of `addAccounts`. */
export async function endTokens(store: Store): Promise<void> {
  await store.apply(staffNames.map((name) => accountWrites.endSessions({ accountId: accountIdOf(name) })));
}

/** As confirmed as a sign-in of this moment, at each moment of the week. */
function createToken(name: StaffName) {
  const late = Date.UTC(2100, 0);
  const digest = createHash('sha256').update(secretOf(name)).digest('hex');
  return {
    ...{ digest, id: `ses_of_${name}`, accountId: accountIdOf(name), kind: 'command' as const },
    ...{ createdAt: late, seenAt: late, confirmedAt: late },
  };
}
