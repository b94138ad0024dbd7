import type { EpochMs } from '../../../shared/clock.ts';
import type { CollectionRow } from '../collection.ts';
import type { ReconcileDeps } from '../reconcile.ts';
import type { Provider } from './provider.ts';
import type { SendTimes } from './send-times.ts';

export type SubmitDeps = ReconcileDeps & {
  provider: Provider;
  sendTimes: SendTimes;
  /** Returns the merchant's secret key, or `undefined` when the configuration no longer contains the merchant. */
  keyOf(merchantId: string): string | undefined;
  /** Called after a 429 about the merchant's key, so that the merchant's other calls wait as well. */
  onRateLimited?(merchantId: string, retryAfterMs: number | undefined): void;
  /**
   * Resolves with the time at which the END screen of a dialogue left the gateway; with `undefined` when that time is
   * unknown.
   */
  screenSent(dialogueId: string): Promise<EpochMs | undefined>;
};

/** A claimed collection, the fence of its claim, and its merchant's key. */
export type Claimed = { row: CollectionRow; key: string | undefined; fence: number };
