/**
 * Whose collections a read returns: those of one merchant, or with null those of all. A read with a merchant returns nothing
 * that depends on collections of other merchants: no row, count, sum or cursor.
 */
export type Scope = {
  merchantId: string | null;
  /**
   * Searches find phone numbers by exactly their last four digits, and references as they are shown, with masked numbers. For readers
   * who may not see whole numbers, and could otherwise find one by trying.
   */
  lastFour?: boolean;
};

export const allMerchants: Scope = { merchantId: null };
