import type { Write } from '../../sqlite/store.ts';
import type { Person } from '../access/actor.ts';
import { accountActionWrite } from './account-action.ts';
import type { AccountDeps } from './deps.ts';

/** Why nothing was changed, for the person at the browser. */
export type Fault = { ok: false; message: string };

type Change = { action: string; detail?: Readonly<Record<string, unknown>>; writes: readonly Write[] };

/** Changes the own account of a person, and records it in the same batch. */
export async function changeAccount(
  { accounts, clock, livemode }: AccountDeps,
  { accountId, name, merchantId }: Person,
  { writes, ...action }: Change,
): Promise<{ ok: true } | Fault> {
  const account = { id: accountId, name, merchantId };
  const record = accountActionWrite({ actor: name, ...action, account }, { livemode, now: clock.now() });
  if (await accounts.apply([...writes, record])) return { ok: true };
  return { ok: false, message: 'The account was changed meanwhile. Load the page again.' };
}
