import { z } from 'zod';
import { parseCedis } from '../shared/money.ts';
import { parseMsisdn } from '../shared/msisdn.ts';

/*
 * Values of which transcripts are made.
 */

export const quoted = (what: string, example: string) => `expected ${what} in quotes, such as ${example}`;

const numberExpected = quoted('a mobile number', '"0244123456"');
export const number = z
  .string(numberExpected)
  .refine((text) => parseMsisdn(text) !== undefined, { message: numberExpected });

const amountExpected = 'expected an amount such as 20.00';
/** Amounts may stand without quotes; they become pesewas. */
export const amount = z.union([z.number(), z.string()], amountExpected).transform((value, context) => {
  const minor = parseCedis(String(value));
  if (minor !== undefined) return minor;
  context.addIssue({ code: 'custom', message: amountExpected });
  return z.NEVER;
});

type Context = { addIssue(issue: { code: 'custom'; message: string; path: PropertyKey[] }): void };

/** Reports what one schema found inside another, `under` the key where it looked. */
export function asIssues(context: Context, error: z.ZodError, under: readonly PropertyKey[] = []): void {
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
