import type { EpochMs } from '../../shared/clock.ts';
import type { Write } from '../../sqlite/store.ts';
import { staffActionWrite } from '../staff/action-store.ts';
import type { Account } from './account-store.ts';

export type AccountAction = {
  actor: string;
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
      ...{ actor, action, ...(result && { result }) },
      subject: { kind: 'account', id, merchantId, livemode },
      detail: { name, ...detail },
    },
    now,
  );
}
