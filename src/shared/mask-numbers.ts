import { maskedForm, parseMsisdn } from './msisdn.ts';

/** A mobile number in any spelling of a payer: with or without +, 00, `(0)`, and up to three blanks or signs between digits. */
const number = /(?<![\d+])(?:(?:\+|00)?233(?:[^\p{L}\p{N}\n]{0,3}0)?|0)(?:[^\p{L}\p{N}\n]{0,3}\d){9}(?!\d)/gu;

/** Returns a text, such as a screen or an input, in which every mobile number of Ghana has its masked form. */
export function maskNumbers(text: string): string {
  return text.replace(number, (found) => {
    const msisdn = parseMsisdn(found.replaceAll(/[^\d+]/g, ''));
    return msisdn === undefined ? found : maskedForm(msisdn);
  });
}
