import { mapOrEmpty } from '../../shared/json.ts';
import { countGsmSeptets } from '../../shared/screen-text.ts';
import type { ProxyScreen } from '../schema.ts';
import type { MenuContext, MenuState, Proxied, ProxyRequest, ProxyTurn } from '../state/state.ts';
import type { Values } from '../state/value.ts';
import { expected, lookupRequest, type ReadAnswer, readFields } from './lookup.ts';

/** Characters of a screen that the merchant's system answers. */
export const maxProxyText = 480;

/** Characters of a state that the merchant's system gets back. */
const maxProxyState = 512;

/** The request of a proxy screen: that of a lookup, with the turn. */
export function proxyRequest(
  name: string,
  state: MenuState,
  context: MenuContext,
  turn: ProxyTurn,
): ProxyRequest {
  return { ...lookupRequest(name, state, context), ...turn };
}

/** The answer to one request of a proxy screen, or the field that makes it unusable. */
export type ReadProxyAnswer =
  | { readonly ok: true; readonly kind: 'screen'; readonly screen: Omit<Proxied, 'turn'> }
  | { readonly ok: true; readonly kind: 'done'; readonly values: Values }
  | Extract<ReadAnswer, { ok: false }>;

/**
 * Reads an answer: a screen, or with `done` the fields that the proxy screen takes. A text that is too long is unusable,
 * because a cut one could lack an option.
 */
export function readProxyAnswer({ take }: ProxyScreen, fields: unknown): ReadProxyAnswer {
  const { done, text, state } = mapOrEmpty(fields);
  if (done === true) {
    const read = readFields(take, fields);
    return read.ok ? { ok: true, kind: 'done', values: read.values } : read;
  }
  if (done !== undefined && done !== null && done !== false) {
    return { ok: false, field: 'done', ...expected('true or false', done) };
  }
  if (typeof text !== 'string') return { ok: false, field: 'text', ...expected('a text', text) };
  const shown = screenText(text);
  if (shown === '') return { ok: false, field: 'text', problem: 'expected letters or digits' };
  if (shown.length > maxProxyText || countGsmSeptets(shown) > 2 * maxProxyText) {
    return { ok: false, field: 'text', problem: `expected at most ${maxProxyText} characters` };
  }
  if (state === undefined || state === null) return { ok: true, kind: 'screen', screen: { text: shown } };
  if (typeof state !== 'string') return { ok: false, field: 'state', ...expected('a text', state) };
  if (state.length > maxProxyState) {
    return { ok: false, field: 'state', problem: `expected at most ${maxProxyState} characters` };
  }
  return { ok: true, kind: 'screen', screen: { text: shown, state } };
}

/** The lines of a text without control characters and blank lines; empty when a screen would show no word. */
function screenText(raw: string): string {
  const lines = raw
    .split(/\r\n?|[\n\u2028\u2029]/)
    .map((line) => line.replace(/[\s\p{Cc}]+/gu, ' ').trim())
    .filter((line) => line !== '');
  const text = lines.join('\n');
  return /[\p{L}\p{N}]/u.test(text) ? text : '';
}
