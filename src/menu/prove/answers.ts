import { unreachable } from '../../shared/errors.ts';
import { formatCedis } from '../../shared/money.ts';
import { operators } from '../../shared/msisdn.ts';
import { listConditions } from '../check/names.ts';
import { describeCondition } from '../graph/menu-graph.ts';
import {
  type AskScreen,
  type ChooseScreen,
  type Condition,
  getMinCount,
  type Menu,
  type MerchantScreen,
  type Option,
  type Preset,
  type Route,
} from '../schema.ts';
import { confirmKeys } from '../screens/draw.ts';
import { optionNumbers } from '../screens/options.ts';
import { readAnswer } from '../state/answer.ts';
import { compilePattern } from '../state/pattern.ts';
import { maxReferenceLength } from '../state/reference.ts';
import { listPlaceholders } from '../text/render.ts';
import {
  amountDomain,
  type Domain,
  type Domains,
  numberDomain,
  type Situation,
  split,
  textDomain,
  withDomain,
} from './domain.ts';
import { longestAnswer, textOfSize } from './longest.ts';
import {
  amountBoundsIn,
  filled,
  findItems,
  type MenuRules,
  presetReference,
  priceDomain,
  type State,
  shownDomain,
  takenDomains,
  without,
} from './values.ts';

type Branch<S> = { readonly screen: string; readonly state: S; readonly label: readonly string[] };

/** Returns each screen that a route can lead to, with the part of the situation in which it does. */
export function branches<S extends Situation>(situation: S, to: Route): Branch<S>[] {
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
export function listResults(
  { texts }: MenuRules,
  state: State,
  screen: MerchantScreen,
): { state: State; labels: string[] }[] {
  const bare = { ...state, values: without(state.values, Object.keys(screen.take)) };
  const found = { ...bare, values: { ...bare.values, ...takenDomains(screen.take) } };
  const { fallback } = screen;
  // A URL with a missing value sends no request.
  const isRequested = listPlaceholders(screen.url ?? '').every((name) => shownDomain(texts, state, name));
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

/** An answer, and a state that it leads to. */
type Answer = { readonly state: State; readonly input: string; readonly labels?: readonly string[] };

export function answersIn(
  rules: MenuRules,
  { state, inputs }: { state: State; inputs: readonly string[] },
): Answer[] {
  const { menu } = rules;
  const screen = menu.screens[state.screen];
  switch (screen?.kind) {
    case 'choose':
      return chosenIn(rules, state, screen);
    case 'ask':
      return typedIn(rules, state, screen);
    case 'proxy':
      return listResults(rules, state, screen).map((one) => ({ ...one, input: '1' }));
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
    const list = option.each === undefined ? undefined : findItems(state.values, option);
    if (option.each !== undefined && !list) return [];
    const items = Object.entries(list?.fields ?? {}).map(([field, one]) => [`item.${field}`, one] as const);
    const values = { ...state.values, ...Object.fromEntries(items) };
    const { holds, fails } = split({ ...state, values }, option.when);
    if (holds.length === 0) return [];
    const isCertain = fails.length === 0 && list?.isOptional !== true;
    return [{ option, at, count: list?.max ?? 1, values, isCertain }];
  });
}

function chosenIn(rules: MenuRules, state: State, screen: ChooseScreen): Answer[] {
  const { menu } = rules;
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
      applyPreset(rules, held, set).flatMap(({ state: after, labels }) =>
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
  rules: MenuRules,
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
  const texts = Object.entries(values).map(([name, text]) => [name, filled(rules, before, text)] as const);
  let after = texts.reduce((all, [name, domain]) => withDomain(all, name, domain), state.values);
  if (reference !== undefined) {
    after = withDomain(after, 'reference', presetReference(rules, before, reference));
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

const otherNumber = '0204000001';
const ownNumber = '0244000000';

function typedIn({ menu }: MenuRules, state: State, screen: AskScreen): Answer[] {
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
      const min = getMinCount(screen);
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
  const conditions = Object.values(screens).flatMap(listConditions);
  return conditions.flatMap(({ when: { value, is = [], not = [] } }) =>
    value === name ? [...is, ...not].map(String) : [],
  );
}

/** The amount as a payer types it, without the currency. */
function typedAmount(amount: number): string {
  return formatCedis(amount).replace('GHS ', '');
}
