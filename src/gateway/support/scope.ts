/**
 * Whose collections a read returns: those of one merchant, or with null those of all. A read with a merchant returns nothing
 * that depends on collections of other merchants: no row, count, sum or cursor.
 */
export type Scope = { merchantId: string | null };

export const allMerchants: Scope = { merchantId: null };
