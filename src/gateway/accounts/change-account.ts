import type { Write } from '../../sqlite/store.ts';
import type { Person } from '../access/actor.ts';
import { accountActionWrite } from './account-action.ts';
import type { AccountDeps } from './deps.ts';

/** Why nothing was changed, for the person at the browser. */
export type Fault = { ok: false; message: string };

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
): Promise<{ ok: true } | Fault> {
  const { accountId: id, name, merchantId } = person;
  const account = { id, name, merchantId };
  const record = accountActionWrite({ actor: person, ...action, account }, { livemode, now: clock.now() });
  if (await accounts.apply([record, ...writes])) return { ok: true };
  return { ok: false, message: 'The account was changed meanwhile. Load the page again.' };
}
