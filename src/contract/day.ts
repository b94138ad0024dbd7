import { z } from 'zod';

/*
 * Closing a day in the gateway's API for support staff. Amounts are pesewas.
 */

/** The payments of one merchant that were opened on a day (UTC), as the person who closes it saw them. */
export const dayTotals = z.strictObject({
  opened: z.int().nonnegative(),
  paid: z.int().nonnegative(),
  notPaid: z.int().nonnegative(),
  chargedMinor: z.int().nonnegative(),
  feeMinor: z.int().nonnegative(),
  netMinor: z.int().nonnegative(),
});
export type DayTotals = z.infer<typeof dayTotals>;

export const closeDayInput = z.strictObject({
  merchantId: z.string('expected the id of a merchant').min(1).max(64),
  totals: dayTotals,
});

export const dayCloseView = z.object({
  /** Such as `2026-03-06`. */
  date: z.string(),
  merchantId: z.string(),
  actor: z.string(),
  at: z.iso.datetime(),
  totals: dayTotals,
});
export type DayCloseView = z.infer<typeof dayCloseView>;
