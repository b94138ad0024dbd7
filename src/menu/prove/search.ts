import { unreachable } from '../../shared/errors.ts';
import { formatCedis, maxAmountMinor } from '../../shared/money.ts';
import { operators } from '../../shared/msisdn.ts';
import { conditionsOf } from '../check/names.ts';
import { describeCondition } from '../graph/menu-graph.ts';
import {
  type AmountBound,
  type AmountOrName,
  type AskScreen,
  type ChooseScreen,
  type Condition,
  type ItemField,
  isMerchantScreen,
  type Menu,
  type MerchantScreen,
  minCountOf,
  type Option,
  type Preset,
  type Route,
  type Screen,
} from '../schema.ts';
import { confirmKeys } from '../screens/draw.ts';
import { optionNumbers } from '../screens/options.ts';
import { offerKeys } from '../screens/screen.ts';
import { readAnswer } from '../state/answer.ts';
import { compilePattern } from '../state/pattern.ts';
import { maxReferenceLength } from '../state/reference.ts';
import type { Item, Scalar } from '../state/value.ts';
import { placeholdersIn, placeholdersOf } from '../text/render.ts';
import {
  amountDomain,
  type Domain,
  type Domains,
  join,
  joinDomains,
  listDomain,
  longestForm,
  numberDomain,
  optional,
  type Situation,
  split,
  textDomain,
  withDomain,
} from './domain.ts';
import { instantsOf } from './instants.ts';
import { longestAnswer, textOfSize } from './longest.ts';

/** All dialogues that are on a screen with values in the same domains. */
export type State = Situation & {
  readonly screen: string;
  /** The network that the payer chose for another number. */
  readonly network?: Preset['operator'];
};

/** Typed inputs and assumptions from the first screen to a state. */
export type Path = { readonly inputs: readonly string[]; readonly assumptions: readonly string[] };

/** A state with the shortest path to it, and the keys of the states that its answers lead to. */
export type Node = Path & { readonly state: State; readonly next: Set<string> };

/** The states of a menu by key, in the order of the number of inputs. */
export type Search = {
  readonly nodes: ReadonlyMap<string, Node>;
  /** From each shown screen, the shown screens that its answers lead to. */
  readonly routes: ReadonlyMap<string, ReadonlySet<string>>;
  /** A new payer chooses a language first, which counts as an input. */
  readonly asksLanguage: boolean;
};

/** Where the routes begin. No menu can use this name. */
export const startScreen = '(start)';

type Running = {
  readonly menu: Menu;
  /** An option changes the language. */
  readonly changesLanguage: boolean;
  readonly texts: CommonTexts;
  readonly nodes: Map<string, Node>;
  readonly routes: Map<string, Set<string>>;
  readonly pending: Node[];
  readonly maxStates: number;
};

/** The longest texts of values that a menu does not set. */
export type CommonTexts = { readonly merchant: string; readonly approvals: string };

export type SearchSettings = {
  readonly texts: CommonTexts;
  readonly today: string | undefined;
  /** Menus in use have a few hundred. */
  readonly maxStates?: number | undefined;
};

const defaultMaxStates = 20_000;

/**
 * Searches the states that payers can reach, breadth first. Every branch of a condition is taken that the domains of the values
 * allow, so the result is a superset of the real dialogues.
 *
 * @returns `undefined` for a menu with too many states, or too many times.
 */
export function searchMenu(
  menu: Menu,
  { texts, today, maxStates = defaultMaxStates }: SearchSettings,
): Search | undefined {
  const instants = instantsOf(menu, today);
  const running: Running = {
    menu,
    texts,
    maxStates,
    changesLanguage: Object.values(menu.screens).some(
      (one) => one.kind === 'choose' && one.options.some(({ language }) => language !== undefined),
    ),
    nodes: new Map(),
    routes: new Map(),
    pending: [],
  };
  if (!instants) return undefined;
  const asks = menu.askLanguage ?? menu.languages.length > 1;
  const keys = offerKeys(menu.languages.length, {}, { sequenced: false });
  const attendants = Object.values(menu.screens).some(hasAttendantContent) ? [false, true] : [false];
  for (const localTime of instants) {
    for (const isAttendant of attendants) {
      for (const [i, language] of menu.languages.entries()) {
        const base = { language, localTime, isAttendant, isOtherPayer: false, operators, values: {} };
        const labels = instants.length > 1 ? [`a dial at ${localTime}`] : [];
        for (const { screen, label } of branches(base, menu.start)) {
          const chosen = asks || i === 0 ? [] : [`chosen language: ${language}`];
          const path = { inputs: asks ? [keys[i] ?? ''] : [], assumptions: [...labels, ...chosen, ...label] };
          enter(running, { ...base, screen }, path, startScreen);
        }
      }
    }
  }
  // The visits append to the array that this loop reads.
  for (const node of running.pending) {
    if (running.nodes.size > maxStates) return undefined;
    for (const { state, input, labels = [] } of answersIn(running, node)) {
      const { inputs, assumptions } = node;
      const path = { inputs: [...inputs, input], assumptions: [...assumptions, ...labels] };
      for (const key of enter(running, state, path, node.state.screen)) node.next.add(key);
    }
  }
  return { nodes: running.nodes, routes: running.routes, asksLanguage: asks };
}

/** True when a screen has content for attendants alone. */
function hasAttendantContent(screen: Screen | undefined): boolean {
  return screen?.kind === 'status' || conditionsOf(screen).some(({ when }) => when.dialler !== undefined);
}

/** Adds a state, split by the conditions of its screen; follows lookups. Returns the keys of the new states. */
function enter(running: Running, entered: State, path: Path, from: string | undefined): string[] {
  const { menu, nodes, routes, pending } = running;
  const screen = menu.screens[entered.screen];
  if (!screen) return [];
  const isLookup = screen.kind === 'lookup';
  if (from !== undefined && !isLookup) routes.set(from, (routes.get(from) ?? new Set()).add(entered.screen));
  return splitByConditions(screen, entered).map(({ state, labels: split }) => {
    const key = JSON.stringify(state);
    if (nodes.has(key) || nodes.size > running.maxStates) return key;
    const assumptions = [...path.assumptions, ...split];
    const node = { inputs: path.inputs, assumptions, state, next: new Set<string>() };
    nodes.set(key, node);
    if (!isLookup) pending.push(node);
    else {
      for (const { state: next, labels } of resultsOf(running, state, screen)) {
        const longer = { ...path, assumptions: [...assumptions, ...labels] };
        for (const one of enter(running, next, longer, from)) node.next.add(one);
      }
    }
    // Going back keeps the language, so each screen can be shown in another one.
    if (running.changesLanguage) {
      for (const language of menu.languages) {
        const again = { ...path, assumptions: [...assumptions, `going back in ${language}`] };
        enter(running, { ...state, language }, again, undefined);
      }
    }
    return key;
  });
}

/** Returns states that each have one result of every condition of the screen, as far as it does not depend on the answer. */
function splitByConditions(screen: Screen, entered: State): { state: State; labels: readonly string[] }[] {
  const own = answeredNames(screen);
  const conditions = isMerchantScreen(screen)
    ? []
    : conditionsOf(screen).filter(({ when }) => {
        const { value, payer, operator } = when;
        if (value?.startsWith('item.') || (value !== undefined && own.includes(value))) return false;
        return !own.includes('payer') || (payer === undefined && operator === undefined);
      });
  const values = Object.entries(entered.values).sort(([a], [b]) => (a < b ? -1 : 1));
  const state = { ...entered, values: Object.fromEntries(values) };
  let parts: { state: State; labels: readonly string[] }[] = [{ state, labels: [] }];
  for (const { when } of conditions) {
    parts = parts.flatMap((part) => {
      const { holds, fails } = split(part.state, when);
      const isOpen = holds.length > 0 && fails.length > 0;
      const described = (label: string) => [...part.labels, ...(isOpen ? [label] : [])];
      return [
        ...holds.map((one) => ({ state: one, labels: described(describeCondition(when)) })),
        ...fails.map((one) => ({ state: one, labels: described(`not ${describeCondition(when)}`) })),
      ];
    });
    if (parts.length > maxParts) break;
  }
  return parts;
}

/** More than ten independent conditions on one screen have. Conditions beyond them stay open. */
const maxParts = 1_024;

/** The names whose values an answer to a question sets. */
function answeredNames(screen: Screen): string[] {
  if (screen.kind !== 'ask') return [];
  switch (screen.answer) {
    case 'number':
      return screen.each === undefined ? [screen.name] : [screen.name, 'amount'];
    case 'text':
      return [screen.name];
    case 'msisdn':
      return ['payer'];
    default:
      return [screen.answer];
  }
}

type Branch<S> = { readonly screen: string; readonly state: S; readonly label: readonly string[] };

/** Returns each screen that a route can lead to, with the part of the situation in which it does. */
function branches<S extends Situation>(situation: S, to: Route): Branch<S>[] {
  if (typeof to === 'string') return [{ screen: to, state: situation, label: [] }];
  const found: Branch<S>[] = [];
  let rest: readonly S[] = [situation];
  for (const one of to) {
    if (typeof one === 'string')
      return [...found, ...rest.map((state) => ({ screen: one, state, label: [] }))];
    const parts = rest.map((state) => split(state, one.when));
    const label = isDecided(one.when) ? [] : [describeCondition(one.when)];
    found.push(...parts.flatMap(({ holds }) => holds.map((state) => ({ screen: one.to, state, label }))));
    rest = parts.flatMap(({ fails }) => fails);
  }
  return found;
}

/** True for a condition on the language or the time alone, which needs no assumption. */
function isDecided({ value, operator, payer, dialler }: Condition): boolean {
  return [value, operator, payer, dialler].every((one) => one === undefined);
}

function follow(state: State, to: Route): { state: State; labels: readonly string[] }[] {
  return branches(state, to).map(({ screen, state: next, label }) => ({
    state: { ...next, screen, values: withoutItem(next.values) },
    labels: label,
  }));
}

function withoutItem(values: Domains): Domains {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !name.startsWith('item.')));
}

/** The results of a lookup, or the end of a part that the merchant's system answers. */
function resultsOf(
  { texts }: Running,
  state: State,
  screen: MerchantScreen,
): { state: State; labels: string[] }[] {
  const bare = { ...state, values: without(state.values, Object.keys(screen.take)) };
  const found = { ...bare, values: { ...bare.values, ...takenDomains(screen.take) } };
  const { fallback } = screen;
  // A URL with a missing value sends no request.
  const isRequested = placeholdersOf(screen.url ?? '').every((name) => shownDomain(texts, state, name));
  const answers: [label: string, from: State, to: Route | undefined][] = [
    ['found', found, screen.kind === 'lookup' ? screen.found : screen.done],
    ['not found', bare, screen.kind === 'lookup' ? screen.notFound : undefined],
  ];
  const results = [...(isRequested ? answers : []), ['no answer', bare, fallback] as const].flatMap(
    ([label, from, to]) => (to === undefined ? [] : follow(from, to).map((one) => [one, label] as const)),
  );
  return results.map(([one, result]) => ({
    state: one.state,
    labels: [[`${state.screen}: ${result}`, ...one.labels].join(', ')],
  }));
}

function without(values: Domains, names: readonly string[]): Domains {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));
}

function takenDomains(take: MerchantScreen['take']): Domains {
  return Object.fromEntries(
    Object.entries(take).flatMap(([name, { list, of = {}, ...field }]) => {
      const items = Object.entries(of).map(([key, one]) => [key, fieldDomain(one)] as const);
      const domain = list === undefined ? fieldDomain(field) : listDomain(list, Object.fromEntries(items));
      const known = optional(domain);
      return known ? [[name, known] as const] : [];
    }),
  );
}

function fieldDomain({ text, amount, number = 0 }: ItemField): Domain {
  if (text !== undefined) return textDomain(textOfSize(text, 2 * text, false));
  return amount === undefined ? numberDomain(0, number) : amountDomain(0, Math.min(amount, maxAmountMinor));
}

/** An answer, and a state that it leads to. */
type Answer = { readonly state: State; readonly input: string; readonly labels?: readonly string[] };

function answersIn(running: Running, node: Node): Answer[] {
  const { menu } = running;
  const { state, inputs } = node;
  const screen = menu.screens[state.screen];
  switch (screen?.kind) {
    case 'choose':
      return chosenIn(running, state, screen);
    case 'ask':
      return typedIn(running, state, screen);
    case 'proxy':
      return resultsOf(running, state, screen).map((one) => ({ ...one, input: '1' }));
    case 'confirm': {
      const amount = state.values.amount;
      if (!amount) return [];
      const lastInput = inputs.at(-1);
      const { yes } = confirmKeys(lastInput === undefined ? {} : { lastInput });
      const values = withDomain(state.values, 'amount', { ...amount, isOptional: false });
      return [{ state: { ...state, values, screen: screen.to }, input: yes }];
    }
    case 'end':
    case 'status':
    case 'requests':
    case 'lookup':
    case undefined:
      return [];
    default:
      return unreachable(screen);
  }
}

/** An option that a screen can offer, with the fields of an item, and the number of its first key. */
export type OfferedDomain = {
  readonly option: Option;
  readonly at: number;
  readonly count: number;
  readonly values: Domains;
  /** False when the option can lack, because of its condition or its list. */
  readonly isCertain: boolean;
};

/** Returns the options that a screen can offer in a state. */
export function offeredIn(state: State, { options }: ChooseScreen): OfferedDomain[] {
  return options.flatMap((option, at): OfferedDomain[] => {
    const list = option.each === undefined ? undefined : itemsOf(state.values, option);
    if (option.each !== undefined && !list) return [];
    const items = Object.entries(list?.fields ?? {}).map(([field, one]) => [`item.${field}`, one] as const);
    const values = { ...state.values, ...Object.fromEntries(items) };
    const { holds, fails } = split({ ...state, values }, option.when);
    if (holds.length === 0) return [];
    const isCertain = fails.length === 0 && list?.isOptional !== true;
    return [{ option, at, count: list?.max ?? 1, values, isCertain }];
  });
}

/** The list of an option: its own one, or the one that was looked up. */
export function itemsOf(
  values: Domains,
  { list, each = '' }: { list?: Option['list'] | undefined; each?: string | undefined },
): Domain | undefined {
  if (list === undefined) return values[each]?.kind === 'list' ? values[each] : undefined;
  const items = list.map((item: Item) =>
    Object.fromEntries(Object.entries(item).map(([name, value]) => [name, scalarDomain(value)])),
  );
  return listDomain(list.length, items.reduce(joinDomains));
}

function scalarDomain(value: Scalar): Domain {
  if (typeof value === 'string') return textDomain(value, [value]);
  return 'number' in value
    ? numberDomain(value.number, value.number)
    : amountDomain(value.amountMinor, value.amountMinor);
}

function chosenIn(running: Running, state: State, screen: ChooseScreen): Answer[] {
  const { menu } = running;
  const offered = offeredIn(state, screen);
  const numbers = optionNumbers(
    offered.reduce((sum, { count }) => sum + count, 0),
    menu.keys,
  );
  let before = 0;
  return offered.flatMap(({ option, values, count }) => {
    const input = numbers[before] ?? '';
    before += count;
    const { language: chosen, when, set = {}, to } = option;
    const languageIndex = menu.languages.indexOf(state.language) + 1;
    const next = menu.languages[languageIndex % menu.languages.length] ?? state.language;
    const language = chosen === 'next' ? next : (chosen ?? state.language);
    return split({ ...state, values }, when).holds.flatMap((held) =>
      applyPreset(running, held, set).flatMap(({ state: after, labels }) =>
        follow({ ...after, language }, to).map((one) => ({
          state: one.state,
          labels: [...labels, ...one.labels],
          input,
        })),
      ),
    );
  });
}

/** Returns the states after a preset: one with the amount, and one without it where it can be unknown. */
function applyPreset(
  running: Running,
  before: State,
  set: Preset,
): { state: State; labels: readonly string[] }[] {
  const { payer, operator, amount, reference, values = {} } = set;
  const { network: chosen, ...kept } = before;
  const isOwn = payer === 'own';
  const network = operator ?? (isOwn ? undefined : chosen);
  const isOtherPayer = isOwn ? false : kept.isOtherPayer;
  const state: State = {
    ...kept,
    isOtherPayer,
    ...(network && { network }),
    operators: operatorsAfter(before, { isOtherPayer, network }),
  };
  const texts = Object.entries(values).map(([name, text]) => [name, filled(running, before, text)] as const);
  let after = texts.reduce((all, [name, domain]) => withDomain(all, name, domain), state.values);
  if (reference !== undefined) {
    after = withDomain(after, 'reference', presetReference(running, before, reference));
  }
  if (amount === undefined) return [{ state: { ...state, values: after }, labels: [] }];
  const price = priceDomain(before.values, amount, { min: 1, max: 1 });
  const without = { ...state, values: withDomain(after, 'amount', undefined) };
  const from = typeof amount === 'number' ? '' : amount.from;
  const unknown =
    price?.isOptional === false ? [] : [{ state: without, labels: [`${from} unknown or GHS 0.00`] }];
  if (!price) return unknown;
  const known = { ...state, values: withDomain(after, 'amount', { ...price, isOptional: false }) };
  return [{ state: known, labels: [] }, ...unknown];
}

/** Another number has the network that the payer chose, or that of its prefix; an own one that which the aggregator names. */
function operatorsAfter(
  before: State,
  { isOtherPayer, network }: Pick<State, 'isOtherPayer' | 'network'>,
): State['operators'] {
  if (isOtherPayer === before.isOtherPayer && network === before.network) return before.operators;
  return isOtherPayer && network ? [network] : operators;
}

function presetReference(running: Running, before: State, text: string): Domain | undefined {
  const domain = filled(running, before, text);
  const { length } = domain?.longest ?? '';
  const kept = placeholdersOf(text).includes('reference') ? before.values.reference : undefined;
  if (domain === undefined) return kept;
  const isExact = placeholdersOf(text).length === 0;
  const longest = isExact ? domain.longest : textOfSize(Math.min(length, maxReferenceLength), 0);
  const reference = textDomain(longest, isExact ? [text] : undefined);
  return domain.isOptional ? join(reference, kept) : reference;
}

/** More than a screen can show: a longer text is cut nowhere, and reported. */
const maxTextLength = 1_000;

/** Returns the domain of a preset text; `undefined` when one of its names never has a value. */
function filled(running: Running, state: State, text: string): Domain | undefined {
  const parts = placeholdersIn(text).map((one) => ({
    ...one,
    domain: shownDomain(running.texts, state, one.name),
  }));
  if (parts.some(({ domain }) => domain === undefined)) return undefined;
  let literal = text;
  for (const { name, format, domain } of parts) {
    const whole = format === undefined ? `{${name}}` : `{${name}:${format}}`;
    if (domain) literal = literal.replace(whole, () => longestForm(domain, format).replace(/[{}]/g, '['));
  }
  const result = textDomain(literal.slice(0, maxTextLength), parts.length === 0 ? [text] : undefined);
  return parts.some(({ domain }) => domain?.isOptional) ? optional(result) : result;
}

/** Returns the domain of a placeholder in a state; `undefined` for one that never has a value there. */
export function shownDomain(
  { merchant, approvals }: CommonTexts,
  state: State,
  name: string,
): Domain | undefined {
  const { amount } = state.values;
  switch (name) {
    case 'merchant':
      return textDomain(merchant);
    case 'approvals':
      return textDomain(approvals);
    case 'payer':
    case 'short_reference':
      return textDomain('0240000000');
    case 'network':
      return state.isOtherPayer && state.network ? textDomain('another operator') : undefined;
    case 'fee':
    case 'total':
      return optional(amount && amountDomain(0, maxAmountMinor));
    case 'charge':
      return amount && { ...amount, max: maxAmountMinor };
    case 'amount_words':
      return amount && { ...textDomain(longestForm(amount, 'words')), isOptional: amount.isOptional };
    default:
      return state.values[name];
  }
}

/** Returns the domain of a price times a count; `undefined` when there is none. An amount of 0, or above the maximum, is unknown. */
function priceDomain(
  values: Domains,
  price: AmountOrName,
  count: { readonly min: number; readonly max: number },
): Domain | undefined {
  const one = typeof price === 'number' ? amountDomain(price, price) : values[price.from];
  if (one?.kind !== 'amount') return undefined;
  const [min, max] = [one.min * count.min, one.max * count.max];
  if (max <= 0 || min > maxAmountMinor) return undefined;
  const domain = amountDomain(Math.max(1, min), Math.min(maxAmountMinor, max));
  return one.isOptional || min <= 0 || max > maxAmountMinor ? optional(domain) : domain;
}

/** The bounds of a question for an amount in a state. */
export function amountBoundsIn({ values }: State, { min, max }: { min: AmountBound; max: AmountBound }) {
  const rangeOf = (bound: AmountBound, round: (amount: number) => number, otherwise: number) => {
    if (typeof bound === 'number') return { min: bound, max: bound };
    const domain = values[bound.from];
    if (domain?.kind !== 'amount') return { min: otherwise, max: otherwise };
    const [low, high] = [round(domain.min / bound.divisor), round(domain.max / bound.divisor)];
    return domain.isOptional
      ? { min: Math.min(low, otherwise), max: Math.max(high, otherwise) }
      : { min: low, max: high };
  };
  const lowest = rangeOf(min, Math.ceil, 1);
  const highest = rangeOf(max, Math.floor, maxAmountMinor);
  return {
    min: Math.max(1, lowest.min),
    max: Math.min(maxAmountMinor, highest.max),
    highestMin: Math.max(1, lowest.max),
    /** For some values, no amount is valid. */
    isImpossible: Math.max(1, lowest.max) > Math.min(maxAmountMinor, highest.min),
  };
}

/** True when no count is valid for some values: the price is unknown, or too high. */
export function lacksPrice({ values }: State, screen: Extract<AskScreen, { answer: 'number' }>): boolean {
  if (screen.each === undefined) return false;
  const least = minCountOf(screen);
  return priceDomain(values, screen.each, { min: least, max: least })?.isOptional !== false;
}

const otherNumber = '0204000001';
const ownNumber = '0244000000';

function typedIn({ menu }: Running, state: State, screen: AskScreen): Answer[] {
  const answered = (input: string, changes: Partial<State>): Answer[] =>
    follow({ ...state, ...changes }, screen.to).map((one) => ({ ...one, input }));
  const withValues = (...all: [name: string, domain: Domain][]) => ({
    values: all.reduce((values, [name, domain]) => withDomain(values, name, domain), state.values),
  });
  switch (screen.answer) {
    case 'amount': {
      const { min, max } = amountBoundsIn(state, screen);
      return min > max ? [] : answered(typedAmount(max), withValues(['amount', amountDomain(min, max)]));
    }
    case 'msisdn': {
      const isOwn = {
        isOtherPayer: false,
        operators: operatorsAfter(state, { ...state, isOtherPayer: false }),
      };
      const isOther = { isOtherPayer: true, operators: state.network ? [state.network] : operators };
      return [...answered(otherNumber, isOther), ...answered(ownNumber, isOwn)];
    }
    case 'reference':
    case 'text': {
      if (acceptsOnlyOthers(screen)) return [];
      const isReference = screen.answer === 'reference';
      const { text } = longestAnswer(screen.pattern, isReference ? maxReferenceLength : screen.maxLength);
      // References have no characters of two septets.
      const longest = isReference ? textOfSize(text.length, 0) : text;
      const input = readAnswer(screen, longest, {}).ok ? longest : (screen.example ?? 'A');
      const name = isReference ? 'reference' : screen.name;
      // Conditions compare texts regardless of case.
      const anyCase = compilePattern(`(?i)(?:${screen.pattern ?? '.*'})`);
      const except = namedTexts(menu, name).filter((one) => anyCase.ok && !anyCase.pattern.accepts(one));
      return answered(
        input,
        withValues([name, { ...textDomain(longest), except: except.map((one) => one.toLowerCase()) }]),
      );
    }
    case 'number': {
      const min = minCountOf(screen);
      const { max, each, name } = screen;
      if (min > max) return [];
      const count: [string, Domain] = [name, numberDomain(min, max)];
      if (each === undefined) return answered(String(max), withValues(count));
      const total = priceDomain(state.values, each, { min, max });
      return total
        ? answered(String(max), withValues(count, ['amount', { ...total, isOptional: false }]))
        : [];
    }
    default:
      return unreachable(screen);
  }
}

/** True for a pattern whose example no payer can give: it has characters that answers cannot have. */
function acceptsOnlyOthers(screen: Extract<AskScreen, { answer: 'reference' | 'text' }>): boolean {
  const { pattern, example = '' } = screen;
  if (pattern === undefined || readAnswer(screen, example, {}).ok) return false;
  const compiled = compilePattern(pattern);
  return compiled.ok && compiled.pattern.accepts(example);
}

/** Returns the texts that conditions compare a name with. */
function namedTexts({ screens }: Menu, name: string): string[] {
  const conditions = Object.values(screens).flatMap(conditionsOf);
  return conditions.flatMap(({ when: { value, is = [], not = [] } }) =>
    value === name ? [...is, ...not].map(String) : [],
  );
}

/** The amount as a payer types it, without the currency. */
function typedAmount(amount: number): string {
  return formatCedis(amount).replace('GHS ', '');
}
