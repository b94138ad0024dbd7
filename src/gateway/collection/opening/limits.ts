/** A maximum count; null is no limit. */
type MaxCount = number | null;

type MaxPerTime = { perHour: MaxCount; perDay: MaxCount };

/**
 * Limits on new collections, counted within one mode. The insert of a collection checks them, so that concurrent requests
 * cannot exceed them. No request by another phone counts against a payment that payers make with their own phone.
 */
export type Limits = {
  /** Collections of one phone at one merchant. A phone's requests as an attendant do not count. */
  dialler: MaxPerTime;
  /** Collections from one payer at one merchant. Payments by the payer's phone and requests by others count separately. */
  payer: MaxPerTime;
  /** Collections at one merchant. */
  merchant: { perMinute: MaxCount };
  /** Requests by other phones at all merchants of the gateway together. */
  requests: {
    /** Requests to one payer. Those of attendants count separately, so that no other phone can lock a till out. */
    payer: MaxPerTime;
    /** Requests from one phone that is no attendant's. */
    dialler: MaxPerTime;
  };
  /**
   * Declined requests from another phone. At `maxDeclines` within `coolDownMs`, no other phone may ask this payer, and this
   * dialler may ask no other payer, at any merchant. Declined requests of attendants count separately, at one merchant.
   */
  declines: { maxDeclines: MaxCount; coolDownMs: number };
  /** Requests of one attendant at one merchant, and how many of them may be declined within `declines.coolDownMs`. */
  attendants: MaxPerTime & { maxDeclines: MaxCount };
};

/** Why the gateway does not open a collection. */
export type Rejection =
  /** Support staff have blocked the dialler. */
  | 'dialler_blocked'
  /** The payer has an open collection at this merchant that has not lapsed. */
  | 'open'
  /** The collection to retry is not final and unpaid, is another payment, or was retried before. */
  | 'retry'
  /** The payer accepts no requests from other phones. */
  | 'opted_out'
  /** Support staff have decided that no other phone may ask this payer. */
  | 'payer_blocked'
  /** Too many recent requests from other phones to this payer were declined. */
  | 'payer_cool_down'
  /** Too many recent requests of this dialler to other payers were declined. */
  | 'dialler_cool_down'
  | 'dialler_limit'
  | 'payer_limit'
  | 'merchant_limit'
  /** Another collection has the short reference. The caller retries with a new one. */
  | 'reference';
