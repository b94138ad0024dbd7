import type { Operator } from '../../shared/msisdn.ts';
import {
  lookupKey,
  lookupRequest,
  lookupUrl,
  proxyRequest,
  type ReadProxyAnswer,
} from '../effects/lookup.ts';
import { createIntent, quoteFor } from '../effects/quote.ts';
import {
  type LookupScreen,
  type Menu,
  type MerchantScreen,
  type ProxyScreen,
  type Route,
  takesNetwork,
} from '../schema.ts';
import { findScreen } from '../screens/screen.ts';
import { close, endLost, maxInvalidInputs, rejectPayment, show } from '../screens/show.ts';
import type { Values } from '../text/format.ts';
import { likelyOperator } from '../text/render.ts';
import { resolveRoute } from './condition.ts';
import type { Effect, HistoryEntry, LookedUp, MenuContext, MenuState, ProxyTurn, Step } from './state.ts';

/** Lookups in a row without a screen between them; a menu with more has a loop. */
const maxLookups = 8;

/** A state on a screen that the merchant's system answers. */
type MerchantState<S extends MerchantScreen = MerchantScreen> = {
  menu: Menu;
  context: MenuContext;
  screen: S;
  state: MenuState;
};
type LookupState = MerchantState<LookupScreen>;
type ProxyState = MerchantState<ProxyScreen>;

/**
 * Shows the screen of a state. A lookup shows no screen: with a known answer, the dialogue moves on. Otherwise the step has an
 * effect, and shows the screen that holds without an answer. So does a proxy screen without a text.
 */
export function enter(menu: Menu, state: MenuState, context: MenuContext): Step {
  return enterAfter(menu, state, context, 0);
}

/** `lookups`: how many lookups in a row led to the state. */
function enterAfter(menu: Menu, first: MenuState, context: MenuContext, lookups: number): Step {
  let state = first;
  for (let count = lookups; count <= maxLookups; count++) {
    const screen = findScreen(menu, state.screen);
    if (screen?.kind === 'proxy' && state.proxied === undefined) {
      return requestTurn({ menu, context, screen, state }, { turn: 1 }, count + 1);
    }
    if (screen?.kind !== 'lookup') return showEntered(menu, state, context);
    const at: LookupState = { menu, context, screen, state };
    const { request, url, key } = getLookup(at);
    const known = state.lookedUp?.find((one) => one.key === key);
    if (known === undefined) {
      const step = withoutAnswer(at, count + 1);
      // A URL with a missing value sends no request.
      return url === ''
        ? step
        : { ...step, effect: { kind: 'lookup', state, request, ...(url !== undefined && { url }) } };
    }
    const next = afterAnswer(at, known.answer);
    if ('reply' in next) return next;
    state = next;
  }
  return endLost(menu, state);
}

function showEntered(menu: Menu, state: MenuState, context: MenuContext): Step {
  const screen = findScreen(menu, state.screen);
  if (screen === undefined) return endLost(menu, state);
  if (screen.kind === 'status' && !context.isAttendant) {
    return close(menu, state, { endState: 'closed', message: 'attendantsOnly' });
  }
  if (screen.kind !== 'confirm') return show(menu, state, context);
  if (context.networks[likelyOperator(state.answers, context)] === null) {
    return rejectPayment(menu, state, context, 'networkNotOffered');
  }
  const step = show(menu, state, context);
  const request = createIntent(state.answers, context);
  if (request === undefined || quoteFor(state, context) !== undefined) return step;
  return { ...step, effect: { kind: 'quote', state, request } };
}

/** Continues from a lookup with its result; `undefined` without a usable one. */
export function enterWithResult(at: LookupState, answer: LookedUp['answer'] | undefined): Step {
  const { menu, context, state } = at;
  if (answer === undefined) return withoutAnswer(at, 0);
  const lookedUp = withinBounds([...(state.lookedUp ?? []), { key: getLookup(at).key, answer }]);
  return enter(menu, { ...state, lookedUp }, context);
}

/** The step for an input on a proxy screen, which the merchant's system answers. */
export function nextTurn(at: ProxyState, typed: string): Step {
  const { proxied, page: _, ...state } = at.state;
  const next = { ...at, state: { ...state, invalidInputs: 0, lastInput: typed } };
  const turn = (proxied?.turn ?? 0) + 1;
  if (turn > at.screen.maxTurns) return withoutAnswer(next, 0);
  const given = proxied?.state === undefined ? {} : { state: proxied.state };
  return requestTurn(next, { turn, input: typed, ...given }, 0);
}

/** Requests a screen from the merchant's system. The step itself holds without an answer. */
function requestTurn(at: ProxyState, turn: ProxyTurn, lookups: number): Step {
  const { screen, state, context } = at;
  const step = withoutAnswer(at, lookups);
  const url = screen.url === undefined ? undefined : lookupUrl(screen.url, state, context);
  if (url === '') return step;
  const request = proxyRequest(state.screen, state, context, turn);
  return { ...step, effect: { kind: 'proxy', state, request, ...(url !== undefined && { url }) } };
}

/** Continues from a request of a proxy screen with its answer; `undefined` without a usable one. */
export function enterWithTurn(
  at: ProxyState,
  { url, request }: Pick<Extract<Effect, { kind: 'proxy' }>, 'url' | 'request'>,
  answer: Extract<ReadProxyAnswer, { ok: true }> | undefined,
): Step {
  const { menu, context, screen, state } = at;
  if (answer === undefined) return withoutAnswer(at, 0);
  if (answer.kind === 'screen') {
    return show(menu, { ...state, proxied: { turn: request.turn, ...answer.screen } }, context);
  }
  // Recorded for transcripts: no request of a proxy screen is answered from here.
  const known = { key: lookupKey(request, url), answer: answer.values };
  const lookedUp = withinBounds([...(state.lookedUp ?? []), known]);
  const next = follow(withFields(state, screen, answer.values), screen.done, context);
  return enter(menu, { ...next, lookedUp }, context);
}

function getLookup({ screen, state, context }: LookupState) {
  const request = lookupRequest(state.screen, state, context);
  const url = screen.url === undefined ? undefined : lookupUrl(screen.url, state, context);
  return { request, url, key: lookupKey(request, url) };
}

/** Bounds of the lookups that a dialogue remembers: their number, and their characters in a turn's row. */
const maxRemembered = 8;
const maxRememberedSize = 16_384;

function withinBounds(all: readonly LookedUp[]): readonly LookedUp[] {
  const newest = all.slice(-maxRemembered);
  while (newest.length > 1 && JSON.stringify(newest).length > maxRememberedSize) newest.shift();
  return newest;
}

/** The step that holds without an answer: the fallback, or the end of the dialogue. */
function withoutAnswer({ menu, context, screen, state }: MerchantState, lookups: number): Step {
  if (screen.fallback !== undefined) {
    const next = follow(withoutFields(state, screen), screen.fallback, context);
    return enterAfter(menu, next, context, lookups);
  }
  const values = { merchant: context.merchant };
  return close(menu, state, { endState: 'closed', message: 'lookupFailed', values });
}

/** The state with the values of an answer, in place of those of an earlier one. */
function withFields(state: MenuState, screen: MerchantScreen, values: Values): MenuState {
  const { notFoundCount: _, ...found } = withoutFields(state, screen);
  const { operator, ...others } = values;
  const isSet = operator !== undefined && takesNetwork(screen);
  const network = isSet && { operator: operator as Operator };
  const merged = { ...found.answers.values, ...(isSet ? others : values) };
  return { ...found, answers: { ...found.answers, ...network, values: merged } };
}

/** The state without the values of an earlier answer on the same screen. */
function withoutFields(state: MenuState, screen: MerchantScreen): MenuState {
  const { values = {}, operator, ...answers } = state.answers;
  const kept = Object.entries(values).filter(([name]) => !Object.hasOwn(screen.take, name));
  const network = operator !== undefined && !takesNetwork(screen) && { operator };
  return { ...state, answers: { ...answers, ...network, values: Object.fromEntries(kept) } };
}

/** The state that an answer leads to, or the step that shows the question again. */
function afterAnswer(
  { menu, context, screen, state }: LookupState,
  answer: LookedUp['answer'],
): MenuState | Step {
  if (answer !== 'not_found') return follow(withFields(state, screen, answer), screen.found, context);
  if (screen.notFound !== undefined) {
    return follow(withoutFields(state, screen), screen.notFound, context);
  }
  // The question before the lookup is asked again, as after an invalid input.
  const notFoundCount = (state.notFoundCount ?? 0) + 1;
  const { lastInput: _, history = [], ...rest } = state;
  const question = history.at(-1);
  if (question === undefined || notFoundCount >= maxInvalidInputs) {
    return close(menu, state, { endState: 'invalidInputs', message: 'tooManyInvalidInputsNotPaid' });
  }
  const asked = { ...rest, ...question, history: history.slice(0, -1) };
  return show(menu, { ...asked, notFoundCount, invalidInputs: notFoundCount }, context, 'notFound');
}

/** Neither a lookup nor a proxy screen adds a history entry: the last one remains the screen before it. */
function follow(state: MenuState, to: Route, context: MenuContext): MenuState {
  return { ...state, screen: resolveRoute(to, state, context) };
}

/** The state on the next screen, with a history entry for the screen that was left. */
export function leave(
  { screen, answers, history = [], notFoundCount, lookedUp, quoted }: MenuState,
  next: Pick<MenuState, 'screen' | 'language' | 'answers' | 'lastInput'>,
): MenuState {
  const behind = next.screen === screen ? history : shortened([...history, { screen, answers }]);
  return {
    ...next,
    invalidInputs: 0,
    ...(behind.length > 0 && { history: behind }),
    ...(notFoundCount && { notFoundCount }),
    ...(lookedUp && { lookedUp }),
    ...(quoted && { quoted }),
  };
}

/** Bounds of the history: its entries, and their characters in a turn's row. More than menus need. */
const maxHistoryLength = 20;
const maxHistorySize = 16_384;

/** The history without its oldest entries, where it is too long: each entry holds the lists that were looked up. */
function shortened(history: readonly HistoryEntry[]): readonly HistoryEntry[] {
  const sizes = history.map((entry) => JSON.stringify(entry).length);
  let size = sizes.reduce((sum, one) => sum + one, 0);
  let first = Math.max(0, history.length - maxHistoryLength);
  for (const one of sizes.slice(0, first)) size -= one;
  while (size > maxHistorySize && first < history.length - 1) size -= sizes[first++] ?? 0;
  return history.slice(first);
}
