import type { z } from 'zod';
import type {
  createKeyInput,
  MerchantKeyList,
  MerchantKeyView,
  merchantKeySecret,
} from '../../../contract/merchant-api.ts';
import { staffActionWrite } from '../action-store.ts';
import { digestOfKey, type MerchantKey, merchantKeyWrites } from '../merchant-key-store.ts';
import { refuse, type StaffAnswer, type StaffCall, type StaffDeps } from '../operation.ts';

/** Keys of one merchant that are not revoked. */
const maxKeys = 20;

/** Lists the keys of all merchants. */
export async function listKeys(deps: StaffDeps): Promise<StaffAnswer<MerchantKeyList>> {
  const keys = await deps.merchantKeys.list(deps.livemode);
  return { ok: true, value: { data: keys.map(viewKey), total: keys.length, next: null } };
}

/** Creates a key. Its text is returned once; the database has its digest. */
export async function createKey(
  deps: StaffDeps,
  { actor, input }: StaffCall<z.infer<typeof createKeyInput>>,
): Promise<StaffAnswer<z.infer<typeof merchantKeySecret>>> {
  const { merchantId, scopes } = input;
  const { livemode, ids, clock } = deps;
  if (!deps.hasMerchant(merchantId))
    return refuse('not_found', `no merchant ${merchantId} in the configuration`);
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
}

/** Revokes a key. Its next request is refused. */
export async function revokeKey(
  deps: StaffDeps,
  { actor, id }: StaffCall<unknown>,
): Promise<StaffAnswer<MerchantKeyView>> {
  const key = await deps.merchantKeys.find(id);
  if (key?.livemode !== deps.livemode)
    return refuse('not_found', `no key ${id}: list them with "dialtill merchant keys list"`);
  const now = deps.clock.now();
  const revoked = await deps.merchantKeys.apply([
    merchantKeyWrites.revoke({ id, now }),
    actionWrite(deps, { actor, action: 'revoke_key', key, detail: {} }),
  ]);
  if (!revoked) return refuse('conflict', 'the key is revoked already');
  return { ok: true, value: viewKey({ ...key, revokedAt: now }) };
}

type KeyAction = {
  actor: string;
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
