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
