import { type Operator, operatorByName } from '../../shared/msisdn.ts';

const visibleAscii = /^[\x21-\x7e]{1,128}$/;

/** Returns a token of the aggregator, such as a session id: 1 to 128 visible ASCII characters, otherwise `undefined`. */
export function readToken(text: string): string | undefined {
  return visibleAscii.test(text) ? text : undefined;
}

/** Returns the payer's input without control and unassigned characters, which no keypad can send. */
export function readInput(text: string): string {
  return text.replace(/\p{C}/gu, '');
}

const trueWords = new Set(['true', '1', 'yes', 'y', 'on', 't']);
const falseWords = new Set(['false', '0', 'no', 'n', 'off', 'f', 'null']);

/** Normalises a boolean in any spelling. @returns `undefined` when the text is no boolean. */
export function readFlag(text: string): 'true' | 'false' | undefined {
  const word = text.toLowerCase();
  if (trueWords.has(word)) return 'true';
  return falseWords.has(word) ? 'false' : undefined;
}

/** Returns the operator of an aggregator's own code, or of a common name; `unknown` for any other text. */
export function readOperator(
  text: string | undefined,
  codes: ReadonlyMap<string, Operator> = new Map(),
): Operator {
  return codes.get((text ?? '').toLowerCase()) ?? operatorByName(text);
}
