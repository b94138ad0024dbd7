import type { EpochMs } from '../../shared/clock.ts';
import type { Write } from '../../sqlite/store.ts';
import { staffActionWrite } from '../access/action-store.ts';
import { type Actor, systemActor } from '../access/actor.ts';
import type { Account } from './account-store.ts';

export type AccountAction = {
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
