import { formatCedis } from '../../shared/money.ts';
import { operators } from '../../shared/msisdn.ts';
import { listConditions } from '../check/names.ts';
import { describeCondition } from '../graph/menu-graph.ts';
import {
  type AskScreen,
  type ChooseScreen,
  getMinCount,
  type Menu,
  type MerchantScreen,
  type Option,
  type Preset,
  type Route,
  takesNetwork,
} from '../schema.ts';
import { confirmKeys } from '../screens/draw.ts';
import { optionNumbers } from '../screens/options.ts';
import { isPlain, readAnswer } from '../state/answer.ts';
import { compilePattern, maxReferenceLength } from '../state/pattern.ts';
import { listPlaceholders } from '../text/render.ts';
import {
  amountDomain,
  type Domain,
  type Domains,
  numberDomain,
  type State,
  split,
  textDomain,
  withDomain,
} from './domain.ts';
import { maxAnswer, textOfSize } from './sizes.ts';
import {
  afterLookup,
  amountBoundsIn,
  filled,
  findItems,
  type MenuRules,
  presetReference,
  priceDomain,
  shownDomain,
} from './values.ts';

/** A state, and the assumptions that lead to it. */
export type Assumed = { readonly state: State; readonly labels: readonly string[] };

/** Returns each screen that a route can lead to, with the part of the state in which it does. */
export function follow(from: State, to: Route): Assumed[] {
  const enter = (state: State, screen: string): State => ({
    ...state,
    screen,
    values: Object.fromEntries(Object.entries(state.values).filter(([name]) => !name.startsWith('item.'))),
  });
  const found: Assumed[] = [];
  let rest: readonly State[] = [from];
  for (const one of typeof to === 'string' ? [to] : to) {
    if (typeof one === 'string') {
      found.push(...rest.map((state) => ({ state: enter(state, one), labels: [] })));
      continue;
    }
    const parts = rest.map((state) => split(state, one.when));
    const labels = [describeCondition(one.when)];
    found.push(
      ...parts.flatMap(({ holds }) => holds.map((state) => ({ state: enter(state, one.to), labels }))),
    );
    rest = parts.flatMap(({ fails }) => fails);
  }
  return found;
}

/** The networks that the answer of a merchant's system can name. */
const networks = operators.filter((name) => name !== 'unknown');

/** The results of a lookup, or the end of a part that the merchant's system answers. */
export function listResults({ texts }: MenuRules, state: State, screen: MerchantScreen): Assumed[] {
  const result = (label: string, to: Route | undefined, isFound = false) => {
    const values = afterLookup(state.values, screen.take, isFound);
    const named = isFound ? [undefined, ...networks] : [undefined];
    const possible = takesNetwork(screen) ? named : [state.network];
    const from = possible.map((network) => onNetwork({ ...state, values }, network));
    return (to === undefined ? [] : from.flatMap((one) => follow(one, to))).map((one) => ({
      state: one.state,
      labels: [[`${state.screen}: ${label}`, ...one.labels].join(', ')],
    }));
  };
  // A URL with a missing value sends no request.
  const isRequested = listPlaceholders(screen.url ?? '').every((name) => shownDomain(texts, state, name));
  return [
    ...(isRequested ? result('found', screen.kind === 'lookup' ? screen.found : screen.done, true) : []),
    ...(isRequested && screen.kind === 'lookup' ? result('not found', screen.notFound) : []),
    ...result('no answer', screen.fallback),
  ];
}

/** An answer, and a state that it leads to. */
type Answer = Assumed & { readonly input: string };

/** Returns the answers on the screen of a state. `lastInput` led to it. */
export function answersIn(rules: MenuRules, state: State, lastInput: string | undefined): Answer[] {
  const screen = rules.menu.screens[state.screen];
  switch (screen?.kind) {
    case 'choose':
      return chosenIn(rules, state, screen);
    case 'ask':
      return typedIn(rules, state, screen);
    case 'proxy':
      return listResults(rules, state, screen).map((one) => ({ ...one, input: '1' }));
    case 'confirm': {
      const { amount } = state.values;
      if (!amount) return [];
      const { yes: input } = confirmKeys(lastInput === undefined ? {} : { lastInput });
      const values = withDomain(state.values, 'amount', { ...amount, isOptional: false });
      return [{ state: { ...state, values, screen: screen.to }, labels: [], input }];
    }
    default:
      return [];
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
  const { keys, languages } = rules.menu;
  const offered = offeredIn(state, screen);
  const count = offered.reduce((sum, one) => sum + one.count, 0);
  const numbers = optionNumbers(count, keys);
  let before = 0;
  return offered.flatMap(({ option, values, count: items }) => {
    const input = numbers[before] ?? '';
    before += items;
    const { language: chosen = state.language, when, set = {}, to } = option;
    const next = languages[(languages.indexOf(state.language) + 1) % languages.length] ?? state.language;
    const language = chosen === 'next' ? next : chosen;
    return split({ ...state, values }, when)
      .holds.flatMap((held) => applyPreset(rules, held, set))
      .flatMap(({ state: after, labels }) =>
        follow({ ...after, language }, to).map((one) => ({
          ...one,
          labels: [...labels, ...one.labels],
          input,
        })),
      );
  });
}

/** Returns the states after a preset: one with the amount, and one without it where it can be unknown. */
function applyPreset(rules: MenuRules, before: State, set: Preset): Assumed[] {
  const { payer, operator, amount, reference, values = {} } = set;
  const { network: chosen, ...kept } = before;
  const isOwn = payer === 'own';
  const network = operator ?? (isOwn ? undefined : chosen);
  const isOtherPayer = !isOwn && kept.isOtherPayer;
  let after = Object.entries(values).reduce(
    (all, [name, text]) => withDomain(all, name, filled(rules, before, text)),
    before.values,
  );
  if (reference !== undefined)
    after = withDomain(after, 'reference', presetReference(rules, before, reference));
  const withAmount = (domain: Domain | undefined, labels: readonly string[] = []): Assumed => ({
    state: {
      ...kept,
      isOtherPayer,
      ...(network && { network }),
      operators: operatorsAfter(before, isOtherPayer, network),
      values: withDomain(after, 'amount', domain),
    },
    labels,
  });
  if (amount === undefined) return [withAmount(after.amount)];
  const price = priceDomain(before.values, amount, { min: 1, max: 1 });
  const from = typeof amount === 'number' ? '' : amount.from;
  const unknown = withAmount(undefined, [`${from} unknown or GHS 0.00`]);
  if (!price) return [unknown];
  return [withAmount({ ...price, isOptional: false }), ...(price.isOptional ? [unknown] : [])];
}

/** Returns the state on the network that an answer names; `undefined` when it names none. */
function onNetwork(before: State, network: State['network']): State {
  const { network: _, ...state } = before;
  return {
    ...state,
    ...(network && { network }),
    operators: operatorsAfter(before, before.isOtherPayer, network),
  };
}

/** Another number has the network that the payer chose, or that of its prefix; an own one that which the aggregator names. */
function operatorsAfter(before: State, isOtherPayer: boolean, network: State['network']) {
  if (isOtherPayer === before.isOtherPayer && network === before.network) return before.operators;
  return isOtherPayer && network ? [network] : operators;
}

const otherNumber = '0204000001';
const ownNumber = '0244000000';

function typedIn({ menu }: MenuRules, state: State, screen: AskScreen): Answer[] {
  const answered = (input: string, changes: Partial<State>): Answer[] =>
    follow({ ...state, ...changes }, screen.to).map((one) => ({ ...one, input }));
  const withValue = (name: string, domain: Domain) => withDomain(state.values, name, domain);
  switch (screen.answer) {
    case 'amount': {
      const { min, max } = amountBoundsIn(state, screen);
      const input = formatCedis(max).replace('GHS ', '');
      return min > max ? [] : answered(input, { values: withValue('amount', amountDomain(min, max)) });
    }
    case 'msisdn':
      return [
        ...answered(otherNumber, {
          isOtherPayer: true,
          operators: state.network ? [state.network] : operators,
        }),
        ...answered(ownNumber, {
          isOtherPayer: false,
          operators: operatorsAfter(state, false, state.network),
        }),
      ];
    case 'reference':
    case 'text': {
      const { pattern, example = '' } = screen;
      // Answers cannot have the characters of the example.
      if (pattern !== undefined && !isPlain(example)) return [];
      const isReference = screen.answer === 'reference';
      const text = maxAnswer(pattern, isReference ? maxReferenceLength : screen.maxLength);
      // References have no characters of two septets.
      const answer = isReference ? textOfSize(text.length, 0) : text;
      const input = readAnswer(screen, answer, {}).ok ? answer : example || 'A';
      const name = isReference ? 'reference' : screen.name;
      // Conditions compare texts regardless of case.
      const anyCase = compilePattern(`(?i)(?:${pattern ?? '.*'})`);
      const except = namedTexts(menu, name).filter((one) => anyCase.ok && !anyCase.pattern.accepts(one));
      return answered(input, { values: withValue(name, { ...textDomain(answer), except }) });
    }
    case 'number': {
      const { max, each, name } = screen;
      const min = getMinCount(screen);
      const values = withValue(name, numberDomain(min, max));
      if (each === undefined) return answered(String(max), { values });
      const total = priceDomain(state.values, each, { min, max });
      const priced = total && withDomain(values, 'amount', { ...total, isOptional: false });
      return priced ? answered(String(max), { values: priced }) : [];
    }
    default:
      return screen satisfies never;
  }
}

/** Returns the texts that conditions compare a name with, in lower case. */
function namedTexts({ screens }: Menu, name: string): string[] {
  const conditions = Object.values(screens).flatMap(listConditions);
  return conditions.flatMap(({ when: { value, is = [], not = [] } }) =>
    value === name ? [...is, ...not].map((one) => String(one).toLowerCase()) : [],
  );
}
