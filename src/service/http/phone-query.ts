import { z } from 'zod';
import { msisdn } from '../../contract/service/field.ts';
import { parseMsisdn } from '../../shared/msisdn.ts';

/** The query of the calls of the simulated phone. */
export const phoneQuery = z.strictObject({
  msisdn: z.string().max(32).meta({ description: 'In any spelling.', example: '0244123456' }),
});

/** Returns a number in any spelling as `233XXXXXXXXX`; `undefined` if the text is not a number. */
export function readMsisdn(text: string): string | undefined {
  return msisdn.safeParse(text).success ? text : parseMsisdn(text);
}
