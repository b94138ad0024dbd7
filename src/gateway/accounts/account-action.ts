import type { EpochMs } from '../../shared/clock.ts';
import type { Write } from '../../sqlite/store.ts';
import { staffActionWrite } from '../access/action-store.ts';
import { type Actor, type Person, systemActor } from '../access/permissions.ts';
import type { Account } from './account-store.ts';
import type { AccountDeps } from './session.ts';

type AccountAction = {
  /** A name stands for the account itself, whose person may not be proven yet. */
  actor: Actor | string;
  /** Such as `sign_in`. */
  action: string;
  result?: 'refused';
  account: Pick<Account, 'id' | 'name' | 'merchantId'>;
  detail?: Readonly<Record<string, unknown>>;
};

/** Returns the write that records what happened to an account. It belongs to the batch of the change itself. */
export function accountActionWrite(
  { actor, action, result, account, detail = {} }: AccountAction,
  { livemode, now }: { livemode: 0 | 1; now: EpochMs },
): Write {
  const { id, name, merchantId } = account;
  return staffActionWrite(
    {
      actor: typeof actor === 'string' ? systemActor(actor, merchantId) : actor,
      ...{ action, ...(result && { result }) },
      subject: { kind: 'account', id, merchantId, livemode },
      detail: { name, ...detail },
    },
    now,
  );
}

/** Why nothing was changed, for the person at the browser. */
export type AccountFault = { ok: false; message: string };

export function recordAccountAction(
  { accounts, clock, livemode }: Pick<AccountDeps, 'accounts' | 'clock' | 'livemode'>,
  action: AccountAction,
): Promise<boolean> {
  return accounts.apply([accountActionWrite(action, { livemode, now: clock.now() })]);
}

type Change = { action: string; detail?: Readonly<Record<string, unknown>>; writes: readonly Write[] };

/**
 * Changes the own account of a person, and records it in the same batch. The record comes first, and has the guard that the session of the
 * person still exists: so the changes may end it.
 *
 * @throws ActionRefused when the session has ended, or the account was disabled or has another role.
 */
export async function changeAccount(
  { accounts, clock, livemode }: AccountDeps,
  person: Person,
  { writes, ...action }: Change,
): Promise<{ ok: true } | AccountFault> {
  const { accountId: id, name, merchantId } = person;
  const account = { id, name, merchantId };
  const record = accountActionWrite({ actor: person, ...action, account }, { livemode, now: clock.now() });
  if (await accounts.apply([record, ...writes])) return { ok: true };
  return { ok: false, message: 'The account was changed meanwhile. Load the page again.' };
}
