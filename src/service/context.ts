import type { Clock } from '../shared/clock.ts';
import type { Store } from '../sqlite/store.ts';
import { auditStore } from './admin/admin-store.ts';
import { createCachedReads } from './cached-reads.ts';
import type { ServiceOverrides } from './config.ts';
import { eventStore } from './event/event-store.ts';
import { feeStore } from './fee/fee-store.ts';
import { idempotencyStore } from './idempotency-store.ts';
import { keyStore } from './key/key-store.ts';
import { merchantStore } from './merchant/merchant-store.ts';
import { otpStore } from './otp/otp-store.ts';
import { promptStore } from './rail/prompt-store.ts';
import { reviewStore } from './review/review-store.ts';
import { sessionStore } from './session/session-store.ts';
import { attemptStore, cacheEndpoints, webhookStore } from './webhook/webhook-store.ts';

/** The overrides, the database and its stores, which all operations of the service share. */
export type ServiceContext = Omit<ServiceOverrides, 'clock'> &
  ReturnType<typeof createStores> & {
    /** The service's time: the test clock in a sandbox. */
    clock: Clock;
    /** The real time, also in a sandbox. Receivers check the age of a signature against it. */
    wallClock: Clock;
    /** True when the service runs on a test clock. A sandbox rejects live keys. */
    sandbox: boolean;
  };

export function createStores(database: Store) {
  const { store, keep } = createCachedReads(database);
  return {
    store,
    keep,
    merchants: merchantStore(store),
    keys: keyStore(store),
    sessions: sessionStore(store),
    otps: otpStore(store),
    prompts: promptStore(store),
    reviews: reviewStore(store),
    fees: feeStore(store),
    savedResponses: idempotencyStore(store),
    endpoints: cacheEndpoints(webhookStore(store), keep),
    attempts: attemptStore(store),
    events: eventStore(store),
    audit: auditStore(store),
  };
}
