/** How often something may be done; null is no limit. */
type Count = number | null;

/**
 * How many collections may be opened, each count within one merchant and one mode. They are guards of the insert, so
 * that no race gets past them.
 */
export type Limits = {
  dialler: { perHour: Count; perDay: Count };
  /** For another phone, whoever has asked this payer; for the payer, only what came from the own phone. */
  payer: { perHour: Count; perDay: Count };
  merchant: { perMinute: Count };
  /**
   * Requests from another phone that were declined: with so many within the time, nobody else's phone may ask this
   * payer, and this dialler no other payer.
   */
  declines: {
    maxDeclines: Count;
    coolDownMs: number;
    /** False where only the payer is protected: an attendant asks others all day. Absent is true. */
    ofDialler?: boolean;
  };
};

/** The limits for one who works for the merchant: none of the dialler's own. Payers stay as protected as they are. */
export function limitsOfAttendant(limits: Limits): Limits {
  const { declines } = limits;
  return { ...limits, dialler: { perHour: null, perDay: null }, declines: { ...declines, ofDialler: false } };
}
