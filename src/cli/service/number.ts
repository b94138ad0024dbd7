import { InvalidArgumentError } from 'commander';
import { parseMsisdn } from '../../shared/msisdn.ts';

/** Reads a payer's number in the spellings that people use, for commander; the answer is `233XXXXXXXXX`. */
export function payerNumber(text: string): string {
  const msisdn = parseMsisdn(text) ?? (/^233\d{9}$/.test(text) ? text : undefined);
  if (msisdn !== undefined) return msisdn;
  throw new InvalidArgumentError(
    'Expected a number of Ghana: 0244123456, 233244123456 or "+233 24 412 3456".',
  );
}
