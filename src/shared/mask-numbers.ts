import { maskedForm, parseMsisdn } from './msisdn.ts';

/** A mobile number in any spelling of a payer: with or without +, 00, blanks, dots and dashes. */
const number = /(?<![\d+])(?:(?:\+|00)?233|0)(?:[ .-]?\d){9}(?!\d)/g;

/** Returns a text, such as a screen or an input, in which every mobile number of Ghana has its masked form. */
export function maskNumbers(text: string): string {
  return text.replace(number, (found) => {
    const msisdn = parseMsisdn(found);
    return msisdn === undefined ? found : maskedForm(msisdn);
  });
}
