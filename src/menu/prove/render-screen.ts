import { amountMinor } from '../../shared/money.ts';
import { type Operator, operators, perOperator } from '../../shared/msisdn.ts';
import { maxProxyText } from '../effects/proxy.ts';
import { createIntent, quoteKey } from '../effects/quote.ts';
import type { AskScreen, Menu, MessageName, Screen } from '../schema.ts';
import { show } from '../screens/show.ts';
import type { Answers, MenuContext, MenuState } from '../state/state.ts';
import type { Value } from '../state/value.ts';
import { type Approvals, createProofContext, type ProvenChannel, samplePayer } from './channel.ts';
import { type Domain, type Domains, longestForm } from './domain.ts';
import { joinTexts, longestAnswer, textOfSize } from './longest.ts';
import { longestFee, longestTotal } from './payments.ts';
import type { Node } from './search.ts';
import { targetScreens } from './uses.ts';
import { findItems } from './values.ts';

/** The longest values on one screen, over all states that the search found there. */
export type ScreenValues = {
  /** With `min` and `max` for the bounds of an amount. */
  readonly values: Domains;
  readonly hasOtherPayer: boolean;
  /** A payer can come from another screen, and go back. */
  readonly hasBack: boolean;
  /** The first state in each language. */
  readonly first: ReadonlyMap<string, Node>;
};

export type Measuring = {
  readonly menu: Menu;
  readonly channel: ProvenChannel;
  readonly approvals: Approvals;
  readonly screens: ReadonlyMap<string, ScreenValues>;
};

/** The texts of one screen or message, on pages, with and without each notice. */
export type Rendered = {
  readonly name: string;
  readonly language: string;
  /** The text in the menu file. */
  readonly path: readonly (string | number)[];
  readonly texts: readonly string[];
  /** The first page without a notice is not the only one. */
  readonly isPaged: boolean;
};

/** Shows a state without a notice and with each of these, page by page. */
export function showAll(
  menu: Menu,
  state: MenuState,
  context: MenuContext,
  notices: readonly MessageName[],
): Pick<Rendered, 'texts' | 'isPaged'> {
  const texts = new Set<string>();
  let isPaged = false;
  for (const notice of [undefined, ...notices]) {
    for (let page = 0; ; page++) {
      const { state: shown, reply } = show(menu, { ...state, page }, context, notice);
      if ((shown.page ?? 0) < page) break;
      isPaged ||= page > 0 && notice === undefined;
      texts.add(reply.text);
    }
  }
  return { texts: [...texts], isPaged };
}

/** One network stands for all, with the longest name and instructions; except where an end screen has a text for single ones. */
export function networksOn(
  screen: Screen | undefined,
  approvals: Approvals,
): { operator: Operator; approvals: Approvals }[] {
  if (screen?.kind === 'end' && Object.keys(screen.operators).length > 0) {
    return operators.map((operator) => ({ operator, approvals }));
  }
  const longest = Object.values(approvals).reduce(joinTexts);
  return [{ operator: longestNetwork, approvals: perOperator(() => longest) }];
}

const longestNetwork = 'telecel';

export function renderScreen(
  { menu, channel, approvals, screens }: Measuring,
  name: string,
  language: string,
): Rendered[] {
  const known = screens.get(name);
  const screen = menu.screens[name];
  if (!known || !screen || screen.kind === 'lookup') return [];
  const longest = longestMenu(menu, name, known);
  const proxied = { turn: 1, text: textOfSize(maxProxyText, 2 * maxProxyText, channel.alphabet === 'gsm') };
  const render = (context: MenuContext, payer: Partial<Answers>, isQuoted: boolean): Rendered => {
    const answers: Answers = { ...longestAnswers(known.values), ...payer };
    const state: MenuState = {
      screen: name,
      language,
      answers,
      invalidInputs: 0,
      lastInput: '-',
      ...(known.hasBack && { history: [{ screen: name, answers: {} }] }),
      ...(screen.kind === 'proxy' && { proxied }),
      ...(isQuoted && quoteFor(answers, context)),
    };
    const isOverridden = screen.kind === 'end' && screen.operators[context.operator] !== undefined;
    const path = ['screens', name, ...(isOverridden ? ['operators', context.operator] : ['text']), language];
    return { name, language, path, ...showAll(longest, state, context, noticesOn(menu, state, channel)) };
  };
  return networksOn(screen, approvals).flatMap((network) => {
    const base = {
      ...createProofContext({ channel, ...network, localTime: '' }),
      isServiceUnavailable: true,
    };
    const { operator } = network;
    const payers = known.hasOtherPayer ? [{}, { payer: samplePayer(operator), operator }] : [{}];
    return payers.flatMap((payer) => {
      if (screen.kind === 'confirm' || screen.kind === 'end') {
        return [false, true].map((isQuoted) => render(base, payer, isQuoted));
      }
      const contexts = screen.kind === 'requests' ? [base, { ...base, blocksRequests: true }] : [base];
      return contexts.map((context) => render(context, payer, false));
    });
  });
}

function quoteFor(answers: Answers, context: MenuContext): Pick<MenuState, 'quoted'> {
  const intent = createIntent(answers, context);
  if (!intent) return {};
  const { amountMinor: goods, shortReference: reference } = intent;
  const quote = { id: 'quo_0', reference, feeMinor: longestFee(goods), totalMinor: longestTotal(goods) };
  return { quoted: { key: quoteKey(intent), quote } };
}

function longestAnswers({ amount, reference, ...others }: Domains): Answers {
  return {
    ...(amount && { amountMinor: amountMinor(amount.max) }),
    ...(reference && { reference: longestForm(reference) }),
    values: Object.fromEntries(Object.entries(others).map(([name, domain]) => [name, longestValue(domain)])),
  };
}

function longestValue(domain: Domain): Value {
  const { kind, max, fields = {} } = domain;
  if (kind !== 'list') return longestForm(domain);
  const item = Object.entries(fields).map(([field, one]) => [field, longestForm(one)]);
  return Array(max).fill(Object.fromEntries(item));
}

/** Returns the menu with the longest form of each placeholder that has a format, and without the conditions of options. */
function longestMenu(menu: Menu, name: string, { values }: ScreenValues): Menu {
  const screen = withForms(menu.screens[name], values);
  if (screen?.kind === 'choose') {
    const options = screen.options.map(({ when: _, list, ...option }) => {
      const items = findItems(values, { each: option.each, list });
      const fields = Object.entries(items?.fields ?? {}).map(([field, one]) => [`item.${field}`, one]);
      const all = items && longestValue(items);
      return { ...withForms(option, Object.fromEntries(fields)), ...(list && { list: all }) };
    });
    return { ...menu, screens: { ...menu.screens, [name]: { ...screen, options } as Screen } };
  }
  if (screen?.kind !== 'ask' || screen.answer !== 'amount') {
    return screen ? { ...menu, screens: { ...menu.screens, [name]: screen } } : menu;
  }
  const [min, max] = [amountMinor(values.min?.max ?? 0), amountMinor(values.max?.max ?? 0)];
  const bounded = { ...screen, min, max };
  return {
    ...menu,
    messages: withForms(menu.messages, values),
    screens: { ...menu.screens, [name]: bounded },
  };
}

/** Replaces the placeholders whose longest form is not that of the largest value. A value in a text has no braces. */
function withForms<Part>(part: Part, values: Domains): Part {
  const withForm = (whole: string, name = 'amount', format = 'words') => {
    const domain = Object.hasOwn(values, name) ? values[name] : undefined;
    return domain ? longestForm(domain, format).replace(/[{}]/g, '[') : whole;
  };
  const text = JSON.stringify(part, (_, value) =>
    typeof value === 'string'
      ? value.replace(/\{([a-z0-9_.-]+):([a-z]+)\}|\{amount_words\}/g, withForm)
      : value,
  );
  return text === undefined ? part : JSON.parse(text);
}

/** The notices that can stand above a screen. Only a screen after another one, and a retry, can get a repeated input. */
export function noticesOn(
  menu: Menu,
  { screen: name, lastInput }: MenuState,
  { sequenced }: ProvenChannel,
): MessageName[] {
  const screen = menu.screens[name];
  const invalid: MessageName[] =
    screen?.kind === 'ask'
      ? invalidAnswers(screen)
      : [screen?.kind === 'status' ? 'invalidShortReference' : 'invalidOption'];
  const isRepeatable = !sequenced && lastInput !== undefined && screen?.kind !== 'confirm';
  const isAskedAgain = lookupsAfter(menu, name).some((one) => {
    const lookup = menu.screens[one];
    return lookup?.kind === 'lookup' && lookup.notFound === undefined;
  });
  return [
    ...invalid,
    ...(isRepeatable ? (['typeAgain'] as const) : []),
    ...(isAskedAgain ? (['notFound'] as const) : []),
  ];
}

function invalidAnswers(screen: AskScreen): MessageName[] {
  switch (screen.answer) {
    case 'amount':
      return ['invalidAmount', 'amountTooSmall', 'amountTooLarge'];
    case 'msisdn':
      return ['invalidMsisdn'];
    case 'text':
      return ['invalidText'];
    case 'number':
      return ['invalidNumber', 'numberTooSmall', 'numberTooLarge'];
    case 'reference': {
      const hasOthers = !longestAnswer(screen.pattern, 1).isReference;
      return ['invalidReference', ...(hasOthers ? (['invalidReferenceCharacters'] as const) : [])];
    }
    default:
      return screen satisfies never;
  }
}

/** The lookups that the answers on a screen lead to without another screen between them. */
function lookupsAfter(menu: Menu, name: string): string[] {
  const found = new Set([name]);
  for (const one of found) {
    const lookups = targetScreens(menu.screens[one]).filter((next) => menu.screens[next]?.kind === 'lookup');
    for (const next of lookups) found.add(next);
  }
  return [...found].slice(1);
}
