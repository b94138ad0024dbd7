import { type Operator, operatorByName } from '../../shared/msisdn.ts';

const printable = /^[\x21-\x7e]{1,128}$/;

/** A token that an aggregator made, such as a session id: 1 to 128 visible ASCII characters, else `undefined`. */
export function readToken(text: string): string | undefined {
  return printable.test(text) ? text : undefined;
}

/** What a payer typed, without the control and unassigned characters that no keypad sends. */
export function readInput(text: string): string {
  return text.replace(/\p{C}/gu, '');
}

const yes = new Set(['true', '1', 'yes', 'y', 'on', 't']);
const no = new Set(['false', '0', 'no', 'n', 'off', 'f', 'null']);

/** A boolean in any of its spellings, as `true` or `false`; `undefined` when it is neither. */
export function readFlag(text: string): 'true' | 'false' | undefined {
  const word = text.toLowerCase();
  if (yes.has(word)) return 'true';
  return no.has(word) ? 'false' : undefined;
}

/** The operator from an aggregator's own codes, else by name. What says nothing to us is `unknown`. */
export function readOperator(
  text: string | undefined,
  codes: ReadonlyMap<string, Operator> = new Map(),
): Operator {
  return codes.get((text ?? '').toLowerCase()) ?? operatorByName(text);
}
