import { maskedForm, parseMsisdn } from './msisdn.ts';

/** What stands between two digits of a number. */
const between = '[^\\p{L}\\p{N}\\n]{0,3}';
const international = `(?:\\+${between}|0${between}0${between})?2${between}3${between}3(?:${between}0)?`;
const ninth = `(?:${between}\\d){9}`;

/**
 * A mobile number in any spelling of a payer: with or without +, 00, `(0)`, and up to three blanks or signs between digits. Without
 * any prefix, only in the usual groups of digits, because other texts have nine digits, too.
 */
const number = new RegExp(
  `(?<![\\d+])(?:(?:${international}|0)${ninth}|[25]\\d[ .-]?\\d{3}[ .-]?\\d{4}|[25]\\d{2}[ .-]\\d{3}[ .-]\\d{3})(?!\\d)`,
  'gu',
);

/** Returns a text, such as a screen or an input, in which every mobile number of Ghana has its masked form. */
export function maskNumbers(text: string): string {
  return text.replace(number, (found) => {
    const msisdn = parseMsisdn(found.replaceAll(/[^\d+]/g, ''));
    return msisdn === undefined ? found : maskedForm(msisdn);
  });
}
