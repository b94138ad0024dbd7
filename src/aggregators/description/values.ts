import { type Operator, operatorByName } from '../../shared/msisdn.ts';
import type { UssdRequest } from '../../shared/ussd.ts';

const visibleAscii = /^[\x21-\x7e]{1,128}$/;

/** Returns a token of the aggregator, such as a session id: 1 to 128 visible ASCII characters, otherwise `undefined`. */
export function readToken(text: string): string | undefined {
  return visibleAscii.test(text) ? text : undefined;
}

/**
 * Returns the payer's input without control and unassigned characters, which no keypad can send. Some aggregators encode `*`, `#`
 * and `+` twice, or in JSON.
 */
export function readInput(text: string): string {
  return text.replace(/\p{C}/gu, '').replace(/%2[3ab]/gi, decodeURIComponent);
}

const trueWords = new Set(['true', '1', 'yes', 'y', 'on', 't']);
const falseWords = new Set(['false', '0', 'no', 'n', 'off', 'f', 'null']);

/** Normalises a boolean in any spelling. @returns `undefined` when the text is no boolean. */
export function readFlag(text: string): 'true' | 'false' | undefined {
  const word = text.toLowerCase();
  if (trueWords.has(word)) return 'true';
  return falseWords.has(word) ? 'false' : undefined;
}

/** No name of a network is longer. */
const maxNetworkLength = 40;

/**
 * Reads the operator by an aggregator's own code, or by its name; `unknown` for any other text, which is then
 * `unlistedNetwork`.
 */
export function readOperator(
  text: string | undefined,
  codes: ReadonlyMap<string, Operator> = new Map(),
): Pick<UssdRequest, 'operator' | 'unlistedNetwork'> {
  const listed = codes.get((text ?? '').toLowerCase());
  const operator = listed ?? operatorByName(text);
  const isUnlisted = text !== undefined && listed === undefined && operator === 'unknown';
  return { operator, ...(isUnlisted && { unlistedNetwork: readInput(text).slice(0, maxNetworkLength) }) };
}
