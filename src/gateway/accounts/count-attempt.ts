import { createHash } from 'node:crypto';
import type { EpochMs } from '../../shared/clock.ts';
import type { Write } from '../../sqlite/store.ts';
import { type Account, type AttemptKey, type Attempts, accountWrites } from './account-store.ts';
import type { AccountDeps } from './session.ts';

/** An attempt that was counted and may be checked, or the time to wait. */
type CountedAttempt = { ok: true; network: number; success: Write[] } | { ok: false; waitSeconds: number };

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

const freeFailures = 3;
const maxDelayMs = 60_000;
const forgottenAfterMs = 60 * 60_000;

/** Returns the failures that count: after an hour without one, none do. */
export function countedFailures(attempts: Attempts | undefined, now: EpochMs): number {
  return attempts && now - attempts.at < forgottenAfterMs ? attempts.failures : 0;
}

/**
 * Returns the milliseconds until the next sign-in is checked; 0 when it is checked now. The delay doubles with each failure
 * after the third, up to a minute: it limits guesses and is never a lasting lock.
 */
export function delayMs(attempts: Attempts | undefined, now: EpochMs): number {
  const failures = countedFailures(attempts, now);
  if (!attempts || failures < freeFailures) return 0;
  const wait = Math.min(1_000 * 2 ** (failures - freeFailures), maxDelayMs);
  return Math.max(0, Math.min(wait, attempts.at + wait - now));
}

/** Returns the bucket of a name or a network: sixteen bits, so that a stranger cannot fill the table. */
export function getBucket(text: string): number {
  return createHash('sha256').update(text).digest().readUInt16BE(0);
}
