import type { Clock } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import type { Store } from '../../sqlite/store.ts';
import { type ApiError, apiError } from '../api-error.ts';
import { type ExtraWrites, noExtraWrites } from '../extra-writes.ts';
import type { FeeSchedules } from '../fee/fee-store.ts';
import { createSecretKey, revokeSecretKey, rotateSecretKey } from '../key/key-operations.ts';
import type { KeyStore } from '../key/key-store.ts';
import type { MerchantRow, MerchantStore, PlatformRow, SenderRow } from '../merchant/merchant-store.ts';
import type { ReviewStore } from '../review/review-store.ts';
import type { SessionStore } from '../session/session-store.ts';
import { type AuditStore, adminSessionStore } from './admin-store.ts';

/** Creates a merchant with one platform. The merchant is not approved for offline collections yet. */
function createMerchant(deps: { store: Store; merchants: MerchantStore; clock: Clock; ids: Ids }) {
  return async (
    { name }: { name: string },
    extraWrites: ExtraWrites<MerchantRow> = noExtraWrites,
  ): Promise<MerchantRow> => {
    const createdAt = deps.clock.now();
    const row: MerchantRow = { id: deps.ids.next('mch'), name, offlineApprovedAt: null, createdAt };
    const platform: PlatformRow = { id: deps.ids.next('plt'), merchantId: row.id, name, createdAt };
    const writes = [deps.merchants.insert(row), deps.merchants.insertPlatform(platform), ...extraWrites(row)];
    if (!(await deps.store.apply(writes)))
      throw new Error(`the identifier ${row.id} of a new merchant is already in use`);
    return row;
  };
}

/** Creates another platform of a merchant, such as a website, with keys and a webhook URL of its own. */
function createPlatform(deps: { store: Store; merchants: MerchantStore; clock: Clock; ids: Ids }) {
  return async (
    request: { merchantId: string; name: string },
    extraWrites: ExtraWrites<PlatformRow> = noExtraWrites,
  ): Promise<(PlatformRow & { kind: 'platform' }) | ApiError> => {
    if (!(await deps.merchants.find(request.merchantId))) return apiError('merchant_not_found');
    const row: PlatformRow = { id: deps.ids.next('plt'), ...request, createdAt: deps.clock.now() };
    if (!(await deps.store.apply([deps.merchants.insertPlatform(row), ...extraWrites(row)]))) {
      throw new Error(`the identifier ${row.id} of a new platform is already in use`);
    }
    return { kind: 'platform', ...row };
  };
}

type Result = (MerchantRow & { kind: 'merchant' }) | ApiError;

/** Approves a merchant for offline collections. A second approval does not change the time of the first. */
function approveOffline(deps: { store: Store; merchants: MerchantStore; clock: Clock }) {
  return async (
    merchantId: string,
    extraWrites: ExtraWrites<MerchantRow> = noExtraWrites,
  ): Promise<Result> => {
    const now = deps.clock.now();
    const found = await deps.merchants.find(merchantId);
    if (!found) return apiError('merchant_not_found');
    const merchant = { ...found, offlineApprovedAt: found.offlineApprovedAt ?? now };
    await deps.store.apply([deps.merchants.approve(merchantId, now), ...extraWrites(merchant)]);
    return { kind: 'merchant', ...merchant };
  };
}

/** Withdraws a merchant's approval for offline collections. New sessions are rejected; open ones continue. */
function withdrawOffline(deps: { store: Store; merchants: MerchantStore }) {
  return async (
    merchantId: string,
    extraWrites: ExtraWrites<MerchantRow> = noExtraWrites,
  ): Promise<(MerchantRow & { kind: 'merchant' }) | ApiError> => {
    const found = await deps.merchants.find(merchantId);
    if (!found) return apiError('merchant_not_found');
    const merchant = { ...found, offlineApprovedAt: null };
    await deps.store.apply([deps.merchants.withdraw(merchantId), ...extraWrites(merchant)]);
    return { kind: 'merchant', ...merchant };
  };
}

/** The senders that networks show: 3 to 11 letters, digits and inner spaces, with at least one letter. */
const senderPattern = /^(?=.*[A-Za-z])[A-Za-z0-9][A-Za-z0-9 ]{1,9}[A-Za-z0-9]$/;

/** Approves an SMS sender for a merchant. A second approval does not change the time of the first. */
function approveSender(deps: { store: Store; merchants: MerchantStore; clock: Clock }) {
  const { store, merchants, clock } = deps;
  return async (
    merchantId: string,
    name: string,
    extraWrites: ExtraWrites<SenderRow> = noExtraWrites,
  ): Promise<(SenderRow & { kind: 'sender' }) | ApiError> => {
    if (!(await merchants.find(merchantId))) return apiError('merchant_not_found');
    if (!senderPattern.test(name)) return apiError('invalid_sender', { param: 'name' });
    const approved = await merchants.findSender(merchantId, name);
    const sender = approved ?? { merchantId, name, approvedAt: clock.now() };
    await store.apply([merchants.approveSender(sender), ...extraWrites(sender)]);
    return { kind: 'sender', ...sender };
  };
}

type Removed = { kind: 'removed'; name: string };

/** Withdraws the approval of an SMS sender for future OTP requests. A name without an approval is not an error. */
function removeSender(deps: { store: Store; merchants: MerchantStore }) {
  return async (
    merchantId: string,
    name: string,
    extraWrites: ExtraWrites<Removed> = noExtraWrites,
  ): Promise<Removed | ApiError> => {
    if (!(await deps.merchants.find(merchantId))) return apiError('merchant_not_found');
    const removed: Removed = { kind: 'removed', name };
    await deps.store.apply([deps.merchants.removeSender(merchantId, name), ...extraWrites(removed)]);
    return removed;
  };
}

export type AdminOperations = ReturnType<typeof createAdminOperations>;

/** Creates the operations of the admin API, for its routes and for programs that embed the service. */
export function createAdminOperations(deps: {
  store: Store;
  merchants: MerchantStore;
  keys: KeyStore;
  sessions: SessionStore;
  reviews: ReviewStore;
  audit: AuditStore;
  schedules: FeeSchedules;
  clock: Clock;
  ids: Ids;
  sandbox: boolean;
}) {
  const { merchants, keys, sessions, reviews, audit, schedules } = deps;
  return {
    createMerchant: createMerchant(deps),
    findMerchant: merchants.find,
    listMerchants: merchants.list,
    approveOffline: approveOffline(deps),
    withdrawOffline: withdrawOffline(deps),

    createPlatform: createPlatform(deps),
    listPlatforms: merchants.platforms,

    approveSender: approveSender(deps),
    removeSender: removeSender(deps),
    listSenders: merchants.senders,

    createKey: createSecretKey(deps),
    listKeys: keys.list,
    rotateKey: rotateSecretKey(deps),
    revokeKey: revokeSecretKey(deps),

    fees: schedules,

    findSession: sessions.findAny,
    findReview: reviews.find,
    adminSessions: adminSessionStore(deps.store),

    listActions: audit.list,
  };
}
