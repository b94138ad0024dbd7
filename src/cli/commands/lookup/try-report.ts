import type { LookupResult } from '../../../gateway/lookup/call-url.ts';
import { isList, showValue, type Value, type Values } from '../../../menu/text/format.ts';
import { type Paint, printable } from '../../terminal/output.ts';

/** A sent request, its result, and the screen that the payer would see. */
export type Tried = {
  lookup: string;
  /** Absent for a function of a menu in TypeScript, and when a value of the address is unknown. */
  request?: { url: string; headers: Record<string, string>; body: string };
  outcome: LookupResult['outcome'] | 'not_sent';
  /** Milliseconds until the result. */
  ms: number;
  /** The fields of the answer as they arrived. */
  answer?: object;
  /** The values that the menu takes from the answer; absent for a screen. */
  values?: Values;
  /** The names of the menu that got no value from the answer, with their fields. */
  withoutValue?: readonly { name: string; field: string }[];
  /** The fields of the answer that the menu does not take. */
  unused?: readonly string[];
  problem?: string;
  /** The beginning of a body that is unusable, without control characters. */
  body?: string;
  /** The screen that follows: its name in the menu, and its text. */
  next: { screen: string; text: string };
};

/** More values of a list would hide the rest. */
const maxShownItems = 10;

/** Returns the report of a request for a person. */
export function reportTried(paint: Paint, tried: Tried): string {
  const { request, outcome, ms, answer, body, values, problem, next } = tried;
  const lines: string[] = [];
  if (request) {
    lines.push(paint('bold', 'Request'), `  POST ${printable(request.url)}`);
    for (const [name, value] of Object.entries(request.headers)) lines.push(`  ${name}: ${value}`);
    lines.push(`  ${printable(request.body)}`, '');
  }
  lines.push(paint('bold', 'Answer'), `  ${outcome} after ${ms} ms`);
  if (answer !== undefined) lines.push(`  ${printable(JSON.stringify(answer))}`);
  if (body !== undefined) lines.push(`  ${body}`);
  if (problem !== undefined) lines.push(`  ${paint('red', printable(problem))}`);
  if (values !== undefined) {
    lines.push('', paint('bold', 'Values'));
    const all = Object.entries(values);
    for (const [name, value] of all) lines.push(...describe(name, value));
    for (const { name, field } of tried.withoutValue ?? [])
      lines.push(`  {${name}}  no value: the answer has no ${field}, or a blank one`);
    if (lines.at(-1) === paint('bold', 'Values')) lines.push('  none');
    const unused = tried.unused ?? [];
    if (unused.length > 0) lines.push(`  not used  ${printable(unused.join(', '))}`);
  }
  lines.push('', `${paint('bold', 'The payer sees')}  ${next.screen}`);
  for (const line of next.text.split('\n')) lines.push(`  | ${printable(line)}`);
  return `${lines.join('\n')}\n`;
}

function describe(name: string, value: Value): string[] {
  if (!isList(value)) return [`  {${name}}  ${printable(showValue(value))}`];
  const items = value.slice(0, maxShownItems).map((item) => {
    const fields = Object.entries(item).map(([field, one]) => `${field} ${showValue(one)}`);
    return `    ${printable(fields.join(', '))}`;
  });
  const more = value.length > maxShownItems ? [`    and ${value.length - maxShownItems} more`] : [];
  return [`  {${name}}  ${value.length} items`, ...items, ...more];
}

/** The sentence for the detail of a lookup that had no usable answer. */
const sentences: Readonly<Record<string, string>> = {
  not_json: 'the body is not JSON in UTF-8',
  no_object: 'the answer is no object such as {"due": 42000}',
  too_large: 'the body is larger than 64 KiB',
  network_error: 'the connection failed',
  threw: 'the function of the menu threw an error',
  ECONNREFUSED: 'no program listens at this address',
  ECONNRESET: 'your system closed the connection without an answer',
  UND_ERR_SOCKET: 'your system closed the connection without an answer',
  ENOTFOUND: 'the name of the host has no address',
  EAI_AGAIN: 'the name of the host could not be resolved',
  ADDRESS_REJECTED: 'the address is private, and allowNetworks of the lookups does not contain it',
};

/** Returns why an answer is unusable, and what to do, for the outcome and the detail of a lookup. */
export function describeUnusable(outcome: string, detail: string | undefined, timeoutMs: number): string {
  if (outcome === 'timeout') return `no whole answer within ${timeoutMs} ms`;
  if (detail === undefined) return outcome;
  const status = Number(/^http_(\d{3})$/.exec(detail)?.[1]);
  if (status > 0) return describeStatus(status);
  const at = /^threw at (.+)$/.exec(detail)?.[1];
  if (at !== undefined) return `${sentences.threw} at ${at}`;
  const sentence = sentences[detail];
  if (sentence !== undefined) return sentence;
  return /^[A-Z][A-Z0-9_]+$/.test(detail) ? `${sentences.network_error}: ${detail}` : detail;
}

function describeStatus(status: number): string {
  const expected = `HTTP ${status}: expected 200, or 404 for a record that does not exist`;
  if (status >= 300 && status < 400) return `${expected}. Redirects are not followed`;
  const isRefused = status === 401 || status === 403;
  return isRefused ? `${expected}. Compare the secret, and the clock of your system` : expected;
}
