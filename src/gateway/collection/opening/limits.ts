/** A maximum count; null is no limit. */
type MaxCount = number | null;

/**
 * Limits on new collections, counted within one merchant and one mode. The insert of a collection checks them, so that
 * concurrent requests cannot exceed them.
 */
export type Limits = {
  dialler: { perHour: MaxCount; perDay: MaxCount };
  /** For another phone, counts the requests of every phone to this payer; for the payer's own phone, only its own. */
  payer: { perHour: MaxCount; perDay: MaxCount };
  merchant: { perMinute: MaxCount };
  /**
   * Declined requests from another phone. At `maxDeclines` within `coolDownMs`, no other phone may ask this payer, and this
   * dialler may ask no other payer.
   */
  declines: {
    maxDeclines: MaxCount;
    coolDownMs: number;
    /** False when only the payer is protected, because an attendant asks other payers all day. Defaults to true. */
    countsDialler?: boolean;
  };
};

/** Returns the limits for an attendant: none on the dialler, all of them on payers. */
export function limitsOfAttendant(limits: Limits): Limits {
  const { declines } = limits;
  return {
    ...limits,
    dialler: { perHour: null, perDay: null },
    declines: { ...declines, countsDialler: false },
  };
}
