import type { Actor } from '../access/actor.ts';
import { roleHas } from '../access/permissions.ts';
import { type Account, maxAccounts } from '../accounts/account-store.ts';
import { type OperationRefusal, refuse, type StaffDeps } from './operation.ts';

/*
 * Who decides about money: an admin who adds two accounts and reads both first codes must not decide alone. So a person whose right is new
 * waits a day, or for another person who decides.
 */

/** How long a new right to decide waits for another person. */
const waitMs = 24 * 3_600_000;

/** The first deciders of a new gateway have no other decider who could accept them. */
const firstDeciders = 2;

const decides = ({ role }: Pick<Account, 'role'>) => roleHas(role, 'proposals.decide');

/**
 * Returns from when a person decides about money after a change of the account, in milliseconds; null for who does not. The first two of a
 * gateway decide at once, even when they no longer have their roles. The write loses with more than `maxDeciders` others.
 */
export async function decidesFrom(
  { accounts, clock }: Pick<StaffDeps, 'accounts' | 'clock'>,
  { id, role, before }: { id: string; role: Account['role']; before?: Account },
): Promise<Pick<Account, 'decidesFrom'> & { maxDeciders: number }> {
  const read = before?.decidesFrom ?? null;
  if (!decides({ role }) || (before && decides(before)))
    return { decidesFrom: read, maxDeciders: maxAccounts };
  return (await isOfFirst(accounts, id))
    ? // A wait after a reset continues.
      { decidesFrom: Math.max(clock.now(), read ?? 0), maxDeciders: firstDeciders - 1 }
    : { decidesFrom: clock.now() + waitMs, maxDeciders: maxAccounts };
}

async function isOfFirst(accounts: StaffDeps['accounts'], id: string): Promise<boolean> {
  const all = await accounts.list();
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
  const isUnused = password === null && (await isOfFirst(accounts, id));
  return isUnused ? before : clock.now() + waitMs;
}

/** Returns whether an account waits for another person, or its day has not passed yet. */
export function isWaiting(
  account: Pick<Account, 'role' | 'decidesFrom' | 'disabledAt'>,
  now: number,
): boolean {
  return decides(account) && account.disabledAt === null && (account.decidesFrom ?? 0) > now;
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
