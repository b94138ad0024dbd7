import { isPhoneNumber, parseMsisdn } from '../../../shared/msisdn.ts';

/** True when a term can be a phone number or a part of one, so that it must not stand in a URL. */
export function isPrivateTerm(term: string): boolean {
  return (
    parseMsisdn(term) !== undefined || isPhoneNumber(term) || /\d{7}/.test(term.replace(/[\s.+()-]/g, ''))
  );
}

/** True when the text of a filter can be a phone number or a part of one. A day and an amount below a million cedis are not. */
export function isPrivateFilter(name: string, text: string): boolean {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const isAmount = name === 'min' || name === 'max' || name === 'amount';
  return isAmount
    ? text.split('..').some((one) => isPrivateTerm(one.replace(/\.\d{0,2}$/, '')))
    : isPrivateTerm(text);
}
