import { z } from 'zod';
import { parseCedis } from '../shared/money.ts';
import { parseMsisdn } from '../shared/msisdn.ts';
import { feeErrors, type OptionError } from './options.ts';

/* Schemas of values in transcripts. */

export const quoted = (noun: string, example: string) => `expected ${noun} in quotes, such as ${example}`;

const numberExpected = quoted('a mobile number', '"0244123456"');
export const number = z
  .string(numberExpected)
  .refine((text) => parseMsisdn(text) !== undefined, { message: numberExpected });

const amountExpected = 'expected an amount such as 20.00';
/** An amount in cedis, with or without quotes. The output is pesewas. */
export const amount = z.union([z.number(), z.string()], amountExpected).transform((value, context) => {
  const minor = parseCedis(String(value));
  if (minor !== undefined) return minor;
  context.addIssue({ code: 'custom', message: amountExpected });
  return z.NEVER;
});

const feeExpected = 'expected a map of price and fee';
/** The service's fee of each price. */
export const fees = z
  .array(z.strictObject({ price: amount, fee: amount }, feeExpected))
  .transform((list, context) => {
    const options = list.map(({ price, fee }) => ({ priceMinor: price, feeMinor: fee }));
    for (const { path, message } of feeErrors(options))
      context.addIssue({ code: 'custom', message, path: [...path] });
    return options;
  });

type Context = { addIssue(issue: { code: 'custom'; message: string; path: PropertyKey[] }): void };

/** Reports the errors of a nested schema, with paths under `under`. */
export function addIssues(context: Context, error: z.ZodError, under: readonly PropertyKey[] = []): void {
  for (const issue of error.issues) {
    const path = [...under, ...issue.path];
    if (issue.code !== 'unrecognized_keys') {
      context.addIssue({ code: 'custom', message: issue.message, path });
      continue;
    }
    for (const key of issue.keys) {
      context.addIssue({ code: 'custom', message: 'unknown key', path: [...path, key] });
    }
  }
}

/** Validates a value and leaves it unchanged: `createTill` parses it again. */
export function validated<T>(faultsOf: (value: unknown) => OptionError[]) {
  return z
    .unknown()
    .transform((value, context): T | undefined => {
      if (value === undefined) return undefined;
      const faults = faultsOf(value);
      for (const { path, message } of faults) context.addIssue({ code: 'custom', message, path: [...path] });
      return faults.length === 0 ? (value as T) : z.NEVER;
    })
    .optional();
}
