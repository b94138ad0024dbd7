import type { EpochMs } from '../../shared/clock.ts';
import type { AmountMinor } from '../../shared/money.ts';
import type { Msisdn } from '../../shared/msisdn.ts';
import type { Status } from '../collection/collection.ts';

/** The properties of the collections to list. A property that is not set selects every collection. */
export type CollectionFilter = {
  status?: Status | undefined;
  merchantId?: string | undefined;
  channel?: string | undefined;
  network?: string | undefined;
  /** Why the collection ended, or why it is in review. */
  reason?: string | undefined;
  /** Opened at this time or later. */
  from?: EpochMs | undefined;
  /** Opened before this time. */
  before?: EpochMs | undefined;
  /** Inclusive bounds of an amount: the price, or the total that the payer is charged. */
  minMinor?: AmountMinor | undefined;
  maxMinor?: AmountMinor | undefined;
  dialler?: Msisdn | undefined;
  /** The last four digits of the payer or of the dialler. */
  last4?: string | undefined;
  /** The person to whom the collection is assigned. */
  assigned?: string | undefined;
};
