import { maskNumbers } from '../../shared/msisdn.ts';
import type { Person } from '../access/actor.ts';
import { accountWrites } from './account-store.ts';
import { changeAccount, type Fault } from './change-account.ts';
import type { AccountDeps } from './deps.ts';
import { type PasskeySite, verifyCreated } from './passkey-ceremony.ts';
import type { PasskeyChallenges } from './passkey-challenge.ts';
import { maxPasskeys, type PasskeyStore, passkeyWrites } from './passkey-store.ts';
import { quotaWrite } from './quota-store.ts';

/** What passkeys use. */
export type PasskeyDeps = AccountDeps & {
  passkeys: PasskeyStore;
  challenges: PasskeyChallenges;
  site: PasskeySite;
};

export const maxLabelLength = 40;

/** Adds a passkey that the browser of a person created. `label` is the name that the person gives it. */
export async function addPasskey(
  deps: PasskeyDeps,
  person: Person,
  { label: typed, credential: text }: { label: string; credential: string },
): Promise<{ ok: true } | Fault> {
  const { accountId, session } = person;
  const label = maskNumbers(typed.trim());
  if (label === '' || label.length > maxLabelLength || /[\p{Cc}\p{Cf}]/u.test(label))
    return { ok: false, message: `A passkey has a name of at most ${maxLabelLength} characters.` };
  const own = await deps.passkeys.list(accountId);
  if (own.length >= maxPasskeys)
    return { ok: false, message: `An account has at most ${maxPasskeys} passkeys. Remove one first.` };
  const created = await verifyCreated(deps, { text, purpose: `add:${session.id}` });
  if (!created) return notAdded;
  const { credential, writes } = created;
  if (await deps.passkeys.find(credential.id)) return notAdded;
  const id = deps.ids.next('pky');
  const createdAt = deps.clock.now();
  const row = {
    ...{ id, accountId, label, credentialId: credential.id, counter: credential.counter },
    publicKey: Buffer.from(credential.publicKey).toString('base64url'),
    ...{ createdAt, lastUsedAt: null },
  };
  return changeAccount(deps, person, {
    action: 'add_passkey',
    detail: { passkey: id, label },
    writes: [
      ...writes,
      quotaWrite('passkeys', { accountId, max: maxPasskeys }, createdAt),
      passkeyWrites.insert(row),
    ],
  });
}

const notAdded: Fault = {
  ok: false,
  message: 'The passkey was not added. Load the page again and repeat it.',
};

/** Removes a passkey, and ends the other sessions of the person: the device with the passkey can be lost. */
export async function removePasskey(
  deps: PasskeyDeps,
  person: Person,
  id: string,
): Promise<{ ok: true } | Fault> {
  const { accountId, session } = person;
  return changeAccount(deps, person, {
    action: 'remove_passkey',
    detail: { passkey: id },
    writes: [
      passkeyWrites.remove({ id, accountId }),
      accountWrites.endOtherSessions({ accountId, digest: session.digest }),
    ],
  });
}
