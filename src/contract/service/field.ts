import { z } from 'zod';
import { maxAmountMinor } from '../../shared/money.ts';
import { parseMsisdn } from '../../shared/msisdn.ts';

/** A time as the service writes it. */
export const time = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .meta({ description: 'ISO 8601, UTC, with milliseconds.', example: '2026-03-06T09:00:07.250Z' });

/** A number in the only form that the interface accepts. */
export const msisdn = z.string().regex(/^233\d{9}$/, 'a number in the form 233XXXXXXXXX');

/** Returns a number in any spelling as `233XXXXXXXXX`; `undefined` if the text is not a number. */
export function readMsisdn(text: string): string | undefined {
  return msisdn.safeParse(text).success ? text : parseMsisdn(text);
}

/** An amount in pesewas that may be zero. */
export const anyAmountMinor = z.int().min(0);

/** An amount that is charged: at least one pesewa, at most `maxAmountMinor`. */
export const chargeMinor = z.int().min(1).max(maxAmountMinor);

export function pageSchema<Item extends z.ZodType>(item: Item) {
  return z.object({
    data: z.array(item),
    has_more: z.boolean(),
    next_cursor: z.string().nullable().meta({ description: 'Send it as `cursor` for the next page.' }),
  });
}

export const pageQuery = {
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: '1 to 100. Default: 20.', example: 20 }),
  cursor: z.string().max(128).optional().meta({ description: '`next_cursor` of the previous page.' }),
};

/** The currency of every amount of the interface, which names none. */
const currency = 'GHS';

/** The code of ISO 4217 for an amount without a currency. It stands for every text that is no code. */
const unreadable = 'XXX';

/** Money in another currency. It is compared with no amount of the ledger, and is never added to one. */
export type CurrencyAmount = {
  /** The code of ISO 4217; `XXX` when the stated one is not readable. */
  currency: string;
  /** In the smallest unit of that currency; null when it is not stated. */
  amountMinor: number | null;
};

/** Returns the currency that a body states, if it is not that of the interface, in any case of letters. */
export function otherCurrency(stated: unknown): string | undefined {
  if (stated === undefined || stated === null) return undefined;
  const text = typeof stated === 'string' ? stated.trim().toUpperCase() : unreadable;
  if (text === '' || text === currency) return undefined;
  return /^[A-Z]{3}$/.test(text) ? text : unreadable;
}
