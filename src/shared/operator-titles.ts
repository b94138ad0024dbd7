import type { Operator } from './msisdn.ts';

/** The operators as screens and pages name them. */
export const operatorTitles: Readonly<Record<Operator, string>> = {
  mtn: 'MTN',
  telecel: 'Telecel',
  at: 'AT',
  glo: 'Glo',
  unknown: 'another operator',
};
