import { amountMinor, maxAmountMinor } from '../../shared/money.ts';
import { type Operator, operators, perOperator } from '../../shared/msisdn.ts';
import { septetsOf } from '../../shared/screen-text.ts';
import { maxProxyText } from '../effects/proxy.ts';
import { intentOf, quoteKey } from '../effects/quote.ts';
import { type AskScreen, isMerchantScreen, type Menu, type MessageName, type Screen } from '../schema.ts';
import { paymentMessages } from '../screens/payment-offers.ts';
import { isAnswer, show } from '../screens/show.ts';
import { type Answers, type MenuContext, type MenuState, rejectionMessages } from '../state/state.ts';
import type { Value } from '../state/value.ts';
import { message, paymentTemplateValues } from '../text/messages.ts';
import { pick, placeholdersIn } from '../text/render.ts';
import { type Approvals, createProofContext, type ProvenChannel, samplePayer } from './channel.ts';
import { amountDomain, type Domain, type Domains, joinDomains, longestForm } from './domain.ts';
import type { Finding } from './finding.ts';
import type { Lengths, ShownText } from './lengths.ts';
import { joinTexts, longestAnswer, textOfSize } from './longest.ts';
import { longestFee, longestTotal, paymentsOf } from './payments.ts';
import type { Node, Search } from './search.ts';
import { targetScreens } from './uses.ts';
import { amountBoundsIn, itemsOf, type State } from './values.ts';

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

/** Joins the states of each screen. */
export function joinStates(menu: Menu, { nodes, routes }: Search): Map<string, ScreenValues> {
  const joined = new Map<string, ScreenValues>();
  for (const node of nodes.values()) {
    const { screen: name, language, isOtherPayer } = node.state;
    const known = joined.get(name);
    const values = valuesIn(menu.screens[name], node.state);
    joined.set(name, {
      values: known ? joinDomains(known.values, values) : values,
      hasOtherPayer: isOtherPayer || known?.hasOtherPayer === true,
      hasBack: [...routes].some(([from, to]) => from in menu.screens && from !== name && to.has(name)),
      first: new Map([[language, node], ...(known?.first ?? [])]),
    });
  }
  return joined;
}

function valuesIn(screen: Screen | undefined, state: State): Domains {
  if (screen?.kind !== 'ask' || screen.answer !== 'amount') return state.values;
  const { highestMin, max } = amountBoundsIn(state, screen);
  return { ...state.values, min: amountDomain(0, highestMin), max: amountDomain(0, max) };
}

export type Measuring = {
  readonly menu: Menu;
  readonly channel: ProvenChannel;
  readonly approvals: Approvals;
  readonly screens: ReadonlyMap<string, ScreenValues>;
};

/** The texts of one screen or message, on pages, with and without each notice. */
type Rendered = {
  readonly name: string;
  readonly language: string;
  /** The text in the menu file. */
  readonly path: readonly (string | number)[];
  readonly texts: readonly string[];
  /** The first page without a notice is not the only one. */
  readonly isPaged: boolean;
};

/**
 * Measures every screen and message with the longest values, in every language. A real screen has no more lines than these, none
 * of them longer, so that its pages fit wherever these fit.
 */
export function measure(measuring: Measuring): { lengths: Lengths; isPaged: boolean; findings: Finding[] } {
  const { menu, channel, screens } = measuring;
  const lengths: Lengths = new Map();
  const findings: Finding[] = [];
  let isPaged = false;
  const shown = [...screens.values()].flatMap(({ first }) => [...first.keys()]);
  for (const language of new Set([...menu.languages, ...shown])) {
    const all = [
      ...[...screens.keys()].flatMap((name) => renderScreen(measuring, name, language)),
      ...renderMessages(measuring, language),
    ];
    for (const rendered of all) {
      const { name, path, texts } = rendered;
      const septets = Math.max(...texts.map((text) => septetsOf(text, channel.alphabet, channel.lineBreak)));
      isPaged ||= rendered.isPaged;
      findings.push(...findUnread(menu, rendered));
      const key = `${name} ${language}`;
      if (septets <= (lengths.get(key)?.septets ?? -1)) continue;
      lengths.set(key, { screen: name, language, septets, path, ...originOf(measuring, rendered) });
    }
  }
  return { lengths, isPaged, findings };
}

/** The inputs and assumptions that lead to a screen, and examples of its longest values. */
function originOf(
  { menu, screens }: Measuring,
  { name, language }: Rendered,
): Pick<ShownText, 'inputs' | 'assumptions'> {
  const known = screens.get(name);
  const screen = menu.screens[name];
  const node = known?.first.get(language) ?? [...(known?.first.values() ?? [])][0];
  if (!known || !node || !screen || isMerchantScreen(screen)) return { inputs: [], assumptions: [] };
  const examples = placeholdersIn(pick(screen.text, language)).flatMap(({ name: value, format }) => {
    const domain = known.values[value];
    return domain && domain.kind !== 'list'
      ? [`{${value}} such as ${longestForm(domain, format).replaceAll('æ', '[')}`]
      : [];
  });
  return { inputs: node.inputs, assumptions: [...node.assumptions, ...new Set(examples)] };
}

/** Shows a state without a notice and with each of these, page by page. */
function showAll(
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
function networksOn(
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

function renderScreen(
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
  const intent = intentOf(answers, context);
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
      const items = itemsOf(values, { each: option.each, list });
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
function noticesOn(
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

/** Returns a finding for a page with a next page that no key shows, because the key is an answer on the screen. */
function findUnread(menu: Menu, { name, language, path, isPaged }: Rendered): Finding[] {
  const screen = menu.screens[name];
  const [moreKey = ''] = menu.keys.more;
  if (!isPaged || screen?.kind !== 'ask' || !isAnswer(screen, moreKey, {})) return [];
  const text = `expected a shorter text, or another key for more: ${moreKey} is an answer here`;
  return [{ kind: 'unread', screen: name, language, message: text, path }];
}

/** The messages that end a dialogue of this menu. */
function lastMessages(menu: Menu): MessageName[] {
  const screens = Object.values(menu.screens);
  return [
    ...([
      'tooManyInvalidInputsNotPaid',
      'tooManyInvalidInputs',
      'cancelled',
      'alreadyWaiting',
      'sessionLost',
      'fault',
      'slow',
    ] as const),
    ...([
      'numberNotSupported',
      'alreadyWaiting',
      'approve',
      'promptSentAgain',
      ...rejectionMessages,
    ] as const),
    ...(['requestsBlocked', 'requestsAllowed'] as const),
    ...(screens.some(({ kind }) => kind === 'requests') ? (['unchanged'] as const) : []),
    ...(screens.some((one) => isMerchantScreen(one) && one.fallback === undefined)
      ? (['lookupFailed'] as const)
      : []),
    ...(screens.some(({ kind }) => kind === 'status') ? statusEnds : []),
  ];
}

const statusEnds = [
  ...(['attendantsOnly', 'statusNotFound', 'statusUnavailable', 'statusConfirming', 'statusPaid'] as const),
  ...(['statusWaiting', 'statusFailed', 'statusUnknown'] as const),
];

/** Renders the built-in screens, and the messages that end a dialogue. */
function renderMessages({ menu, channel, approvals, screens }: Measuring, language: string): Rendered[] {
  const all = [...screens.values()].map(({ values }) => values);
  const amount = Math.max(0, ...all.flatMap(({ amount: one }) => one?.max ?? []));
  const references = all.flatMap(({ reference }) => (reference ? longestForm(reference) : []));
  const reference = references.length === 0 ? undefined : references.reduce(joinTexts);
  return networksOn(undefined, approvals).flatMap((network) => {
    const context = createProofContext({ channel, ...network, localTime: '' });
    const payments = paymentsOf(
      { amountMinor: amountMinor(Math.min(amount, maxAmountMinor)), reference },
      context,
    );
    const builtIn = (screen: string, name: string, more: Partial<MenuState> = {}): Rendered => {
      const state = { screen, language, answers: {}, invalidInputs: 0, ...more };
      const path = name === 'language' ? ['languages'] : ['messages', name, language];
      return {
        name: `(${name})`,
        language,
        path,
        ...showAll(menu, state, context, noticesOn(menu, state, channel)),
      };
    };
    const ends = new Map(lastMessages(menu).map((name) => [name, new Set<string>()] as const));
    for (const payment of payments.filter(({ cause }) => cause !== undefined)) {
      const values = paymentTemplateValues(menu, language, payment, context);
      for (const [name, texts] of ends)
        texts.add(message(menu, language, name, { ...values, payer: '0240000000' }));
    }
    const [payment] = payments;
    return [
      ...(menu.languages.length > 1 ? [builtIn('(language)', 'language', { lastInput: '1' })] : []),
      ...payments.map((one) =>
        builtIn('(payment)', paymentMessages[one.state], {
          callerHistory: { payment: one },
          ...(one.state === 'failed' && { lastInput: '1' }),
        }),
      ),
      ...(payment ? [builtIn('(duplicate)', 'duplicate', { duplicate: payment })] : []),
      builtIn('(resume)', 'resume', { lastInput: '1' }),
      ...[...ends].map(([name, texts]) => ({
        name: `(${name})`,
        language,
        path: ['messages', name, language],
        texts: [...texts],
        isPaged: false,
      })),
    ];
  });
}
