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

/** The operator from an aggregator's own codes, else by name. What says nothing to us is `unknown`. */
export function readOperator(
  text: string | undefined,
  codes: ReadonlyMap<string, Operator> = new Map(),
): Operator {
  return codes.get(text ?? '') ?? operatorByName(text);
}
