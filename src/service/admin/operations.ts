import type { Clock } from '../../shared/clock.ts';
import type { Ids } from '../../shared/ids.ts';
import type { Store } from '../../sqlite/store.ts';
import type { FeeSchedules } from '../fee/fee-store.ts';
import { createKey, revokeKey, rotateKey } from '../key/key-operations.ts';
import type { KeyStore } from '../key/key-store.ts';
import {
  approveOffline,
  approveSender,
  createMerchant,
  createPlatform,
  removeSender,
  withdrawOffline,
} from '../merchant/merchant-operations.ts';
import type { MerchantStore } from '../merchant/merchant-store.ts';
import type { ReviewStore } from '../review/review-store.ts';
import type { SessionStore } from '../session/session-store.ts';
import { adminSessionStore } from './admin-session-store.ts';
import type { AuditStore } from './audit-store.ts';

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

    createKey: createKey(deps),
    listKeys: keys.list,
    rotateKey: rotateKey(deps),
    revokeKey: revokeKey(deps),

    fees: schedules,

    findSession: sessions.findAny,
    findReview: reviews.find,
    adminSessions: adminSessionStore(deps.store),

    listActions: audit.list,
  };
}
