import type { z } from 'zod';
import {
  createKeyInput,
  type MerchantKeyList,
  type MerchantKeyView,
  type merchantKeySecret,
} from '../../../contract/staff/merchant-system.ts';
import { staffActionWrite } from '../../access/action-store.ts';
import { type Actor, can, isWithin } from '../../access/permissions.ts';
import { digestOfKey, type MerchantKey, merchantKeyWrites } from '../merchant-key-store.ts';
import { defineOperation, refuse, type StaffAnswer, type StaffDeps } from '../operation.ts';
import { keySubject, merchantSubject } from '../subjects.ts';

/** Keys of one merchant that are not revoked. */
const maxKeys = 20;

export const listMerchantKeys = defineOperation({
  route: 'GET /merchant-keys',
  permission: 'keys.read',
  subject: 'all',
  async run({ merchantKeys, livemode }: StaffDeps, { actor }): Promise<StaffAnswer<MerchantKeyList>> {
    const keys = (await merchantKeys.list(livemode)).filter((one) => isWithin(actor, one));
    return { ok: true, value: { data: keys.map(viewKey), total: keys.length, next: null } };
  },
});

/** Creates a key. Its text is returned once; the database has its digest. */
export const createMerchantKey = defineOperation({
  route: 'POST /merchant-keys',
  permission: 'keys.write',
  confirm: true,
  input: createKeyInput,
  subject: merchantSubject,
  async run(deps: StaffDeps, { actor, input }): Promise<StaffAnswer<z.infer<typeof merchantKeySecret>>> {
    const { merchantId, scopes } = input;
    const { livemode, ids, clock } = deps;
    if (scopes.includes('payers:read') && !can(actor, 'numbers.give'))
      return refuse('forbidden', 'scopes: you may not let a system read whole phone numbers (payers:read)');
    const secret = `dk_${livemode === 1 ? 'live' : 'test'}_${ids.secret()}`;
    const row: MerchantKey = {
      ...{ id: ids.next('mk'), merchantId, livemode, digest: digestOfKey(secret) },
      scopes: [...new Set(scopes)].join(' '),
      ...{ createdAt: clock.now(), lastUsedAt: null, revokedAt: null },
    };
    const detail = { scopes: row.scopes };
    const isCreated = await deps.merchantKeys.apply([
      merchantKeyWrites.insert(row, maxKeys),
      actionWrite(deps, { actor, action: 'create_key', key: row, detail }),
    ]);
    if (!isCreated) return refuse('conflict', `the merchant has ${maxKeys} keys: revoke one first`);
    return { ok: true, value: { key: viewKey(row), secret } };
  },
});

/** Revokes a key. Its next request is refused. */
export const revokeMerchantKey = defineOperation({
  route: 'POST /merchant-keys/:id/revoke',
  permission: 'keys.write',
  subject: keySubject,
  async run(deps: StaffDeps, { actor, id, subject: key }): Promise<StaffAnswer<MerchantKeyView>> {
    const now = deps.clock.now();
    const revoked = await deps.merchantKeys.apply([
      merchantKeyWrites.revoke({ id, now }),
      actionWrite(deps, { actor, action: 'revoke_key', key, detail: {} }),
    ]);
    if (!revoked) return refuse('conflict', 'the key is revoked already');
    return { ok: true, value: viewKey({ ...key, revokedAt: now }) };
  },
});

type KeyAction = {
  actor: Actor;
  action: string;
  key: MerchantKey;
  detail: Readonly<Record<string, unknown>>;
};

function actionWrite({ clock }: StaffDeps, { actor, action, key, detail }: KeyAction) {
  const { id, merchantId, livemode } = key;
  return staffActionWrite(
    { actor, action, subject: { kind: 'key', id, merchantId, livemode }, detail },
    clock.now(),
  );
}

function viewKey({ id, merchantId, scopes, createdAt, lastUsedAt, revokedAt }: MerchantKey): MerchantKeyView {
  const show = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  return {
    ...{ id, merchantId, scopes: scopes.split(' '), createdAt: new Date(createdAt).toISOString() },
    ...{ lastUsedAt: show(lastUsedAt), revokedAt: show(revokedAt) },
  };
}
