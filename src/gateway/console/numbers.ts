import { maskNumbers } from '../../shared/mask-numbers.ts';
import { localForm, type Msisdn, maskedForm } from '../../shared/msisdn.ts';

/** How a page shows phone numbers: in fields, and in texts that can contain them, such as screens and references. */
export type NumberView = { phone(msisdn: Msisdn): string; text(text: string): string };

export const maskedNumbers: NumberView = { phone: maskedForm, text: maskNumbers };

/** For a person who has revealed the numbers of a payment. */
export const wholeNumbers: NumberView = { phone: localForm, text: (text) => text };
