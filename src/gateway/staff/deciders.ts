import { type Actor, roleHas } from '../access/permissions.ts';
import { type Account, maxAccounts } from '../accounts/account-store.ts';
import { type OperationRefusal, refuse, type StaffDeps } from './operation.ts';

/*
 * Who decides about money: an admin who adds two accounts and reads both first codes must not decide alone. So a person whose right is new
 * waits a day, or for another person who decides.
 */

/** How long a new right to decide waits for another person, and how long a gateway is new. */
const waitMs = 24 * 3_600_000;

/** The first deciders of a new gateway have no other decider who could accept them. */
const firstDeciders = 2;

const decides = ({ role }: Pick<Account, 'role'>) => roleHas(role, 'proposals.decide');

/**
 * Returns from when a person decides about money after a change of the account, in milliseconds; null for who never did. A disabled account
 * is as a new one. The first two of a new gateway decide at once, and are the first also without their roles. The write loses with more
 * than `maxDeciders` others.
 */
export async function decidesFrom(
  { accounts, clock }: Pick<StaffDeps, 'accounts' | 'clock'>,
  { id, role, before }: { id: string; role: Account['role']; before?: Account },
): Promise<Pick<Account, 'decidesFrom'> & { maxDeciders: number }> {
  const hasDecided = before !== undefined && decides(before);
  // The accounts of before the wait existed have no time.
  const read = before?.decidesFrom ?? (hasDecided ? clock.now() : null);
  if (!decides({ role }) || (hasDecided && before.disabledAt === null))
    return { decidesFrom: read, maxDeciders: maxAccounts };
  return (await isOfFirst({ accounts, clock }, id))
    ? // A wait after a reset continues.
      { decidesFrom: Math.max(clock.now(), read ?? 0), maxDeciders: firstDeciders - 1 }
    : { decidesFrom: clock.now() + waitMs, maxDeciders: maxAccounts };
}

/** The age of the gateway is that of its first account: no account is ever deleted. */
async function isOfFirst(
  { accounts, clock }: Pick<StaffDeps, 'accounts' | 'clock'>,
  id: string,
): Promise<boolean> {
  const all = await accounts.list();
  if (all.some(({ createdAt }) => createdAt <= clock.now() - waitMs)) return false;
  const others = all.filter((one) => one.id !== id && (decides(one) || one.decidesFrom !== null));
  return others.length < firstDeciders;
}

/**
 * As `decidesFrom`, after a reset: the new code can reach another person, also when the one before was not used. One of the
 * first people who has not used it is as after its addition.
 */
export async function decidesAfterReset(
  { accounts, clock }: Pick<StaffDeps, 'accounts' | 'clock'>,
  { id, role, password, decidesFrom: before }: Account,
): Promise<Account['decidesFrom']> {
  if (!decides({ role }) && before === null) return null;
  const isUnused = password === null && (await isOfFirst({ accounts, clock }, id));
  return isUnused ? before : clock.now() + waitMs;
}

/** Returns whether an account, which can be disabled, waits for another person, or its day has not passed yet. */
export function isWaiting(account: Pick<Account, 'role' | 'decidesFrom'>, now: number): boolean {
  return decides(account) && (account.decidesFrom ?? 0) > now;
}

/** Returns the refusal of a decision by a person whose right is new; undefined otherwise. */
export async function newDeciderRefusal(
  { accounts, clock }: Pick<StaffDeps, 'accounts' | 'clock'>,
  { name }: Actor,
): Promise<OperationRefusal | undefined> {
  const account = await accounts.findByName(name);
  if (!account || !isWaiting(account, clock.now())) return undefined;
  const from = new Date(account.decidesFrom ?? 0).toISOString();
  return refuse(
    'conflict',
    `your right to decide is new: you decide from ${from}, or when another person has accepted you with "dialtill staff accept ${name}"`,
  );
}
