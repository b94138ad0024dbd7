import type { EpochMs } from '../../../shared/clock.ts';
import type { Msisdn } from '../../../shared/msisdn.ts';
import type { CollectionRow } from '../collection.ts';
import type { ReconcileDeps } from '../reconcile.ts';
import type { SeenTurns } from '../store/due-store.ts';
import type { Provider } from './provider.ts';
import type { SendTimes } from './send-times.ts';

export type SubmitDeps = ReconcileDeps & {
  provider: Provider;
  sendTimes: SendTimes;
  /** Returns the merchant's secret key, or `undefined` when the configuration no longer contains the merchant. */
  keyOf(merchantId: string): string | undefined;
  /** Called after a 429 about the merchant's key, so that the merchant's other calls wait as well. */
  onRateLimited?(merchantId: string, retryAfterMs: number | undefined): void;
  /** Resolves with the time at which the END screen of the collection's dialogue left the gateway. */
  screenSent(row: Pick<CollectionRow, 'dialogueId' | 'openedAt'>): Promise<EpochMs>;
  /** Returns the last USSD session of a number on any channel; `undefined` without one. */
  lastSession(msisdn: Msisdn): Promise<LastSession | undefined>;
  /** Returns whether an event of a session is stored and not handled yet. It may report the payment. */
  hasWaitingEvent(sessionId: string): Promise<boolean>;
  /** The name of this gateway, where several use one database. */
  home?: string | null;
  /** Called when a claimed collection waits longer, and no call was made. */
  onPostponed?(merchantId: string): void;
};

/** A USSD session that has ended, or that is open until a time unless another input arrives. */
export type LastSession = ({ kind: 'ended' } | { kind: 'open'; until: EpochMs }) & {
  /** When the phone got its last END, in whichever session; 0 when its last screen waits for an input. */
  endedAt: EpochMs;
  seen: SeenTurns;
};

/** A claimed collection, the fence of its claim, and its merchant's key. */
export type Claimed = { row: CollectionRow; key: string | undefined; fence: number };
