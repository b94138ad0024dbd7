import type { Write } from '../../sqlite/store.ts';
import { type Account, type AttemptKey, accountWrites } from './account-store.ts';
import { countedFailures, delayMs, getBucket } from './delay.ts';
import type { AccountDeps } from './deps.ts';

/** An attempt that was counted and may be checked, or the time to wait. */
export type CountedAttempt =
  | { ok: true; network: number; success: Write[] }
  | { ok: false; waitSeconds: number };

/**
 * Counts an attempt before it is checked, so that parallel guesses are delayed like later ones.
 *
 * The delay of a name does not apply in the network of the account's newest sign-in: a stranger elsewhere cannot keep its owner
 * out.
 *
 * @returns `success`: the writes that take the attempt back when it succeeds.
 */
export async function countAttempt(
  { accounts, clock }: Pick<AccountDeps, 'accounts' | 'clock'>,
  { name, network, account }: { name: string; network: string; account: Account | undefined },
): Promise<CountedAttempt> {
  const now = clock.now();
  const byNetwork: AttemptKey = { kind: 'network', bucket: getBucket(network) };
  const byName: AttemptKey = { kind: 'name', bucket: getBucket(name) };
  const keys = account?.lastNetwork === byNetwork.bucket ? [byNetwork] : [byNetwork, byName];
  const found = await Promise.all(keys.map(async (key) => ({ key, attempts: await accounts.attempts(key) })));
  const waitMs = Math.max(...found.map(({ attempts }) => delayMs(attempts, now)));
  if (waitMs > 0) return { ok: false, waitSeconds: Math.ceil(waitMs / 1_000) };
  const writes = found.map(({ key, attempts }) =>
    accountWrites.countAttempt({
      ...key,
      ...{ failures: countedFailures(attempts, now) + 1, now },
      ...{ seen: attempts?.failures ?? 0, seenAt: attempts?.at ?? 0 },
    }),
  );
  // Another attempt was counted meanwhile: its result is not known yet.
  if (!(await accounts.apply(writes))) return { ok: false, waitSeconds: 1 };
  const success = [accountWrites.discountAttempt(byNetwork), accountWrites.forgetAttempts(byName)];
  return { ok: true, network: byNetwork.bucket, success };
}
