import { type Msisdn, parseMsisdn } from '../../src/shared/msisdn.ts';

/** Returns a phone number that a test names. @throws Error when it is none. */
export function msisdnOf(number: string): Msisdn {
  const msisdn = parseMsisdn(number);
  if (!msisdn) throw new Error(`not a phone number: ${number}`);
  return msisdn;
}
