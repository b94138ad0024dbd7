import { amountMinor, maxAmountMinor } from '../../shared/money.ts';
import { operators, perOperator } from '../../shared/msisdn.ts';
import { maxProxyText } from '../effects/lookup.ts';
import { createIntent, mentionsFee, quoteKey } from '../effects/quote.ts';
import type { AskScreen, Menu, MessageName, Screen } from '../schema.ts';
import { draw } from '../screens/draw.ts';
import type { MenuScreen } from '../screens/screen.ts';
import { noticeText } from '../screens/show.ts';
import type { Answers, MenuContext, MenuState } from '../state/state.ts';
import { pick, questionTemplateValues } from '../text/render.ts';
import { type Approvals, createProofContext, type ProvenChannel, samplePayer } from './channel.ts';
import { amountDomain, type Domains, joinDomains, maxForm, type State } from './domain.ts';
import type { Node, Search } from './search.ts';
import { joinTexts, textOfSize } from './sizes.ts';
import { amountBoundsIn, findItems } from './values.ts';

/** The values of a screen in all states that the search found there. */
export type ScreenValues = {
  readonly values: Domains;
  /** The bounds of a question for an amount. */
  readonly bounds: Domains;
  readonly hasOtherPayer: boolean;
  /** The first state in each language. */
  readonly first: ReadonlyMap<string, Node>;
};

export type Measuring = {
  readonly menu: Menu;
  readonly channel: ProvenChannel;
  readonly approvals: Approvals;
  readonly screens: ReadonlyMap<string, ScreenValues>;
};

/** A screen or a message with its largest values. */
export type Drawn = {
  readonly name: string;
  /** The text in the menu file. */
  readonly path: readonly (string | number)[];
  /** Its lines and options, which pages keep whole. */
  readonly units: readonly string[];
  readonly notices?: readonly string[];
};

/** Joins the states of each screen. */
export function joinStates(menu: Menu, nodes: Search): Map<string, ScreenValues> {
  const joined = new Map<string, ScreenValues>();
  for (const node of nodes.values()) {
    const { screen: name, language, isOtherPayer, values } = node.state;
    const known = joined.get(name);
    const bounds = boundsIn(menu.screens[name], node.state);
    joined.set(name, {
      values: known ? joinDomains(known.values, values) : values,
      bounds: known ? joinDomains(known.bounds, bounds) : bounds,
      hasOtherPayer: isOtherPayer || known?.hasOtherPayer === true,
      first: new Map([[language, node], ...(known?.first ?? [])]),
    });
  }
  return joined;
}

function boundsIn(screen: Screen | undefined, state: State): Domains {
  if (screen?.kind !== 'ask' || screen.answer !== 'amount') return {};
  const { maxMin, max } = amountBoundsIn(state, screen);
  return { min: amountDomain(0, maxMin), max: amountDomain(0, max) };
}

/** The context in which most texts are longest: of the operator with the longest name, with the longest instructions of all. */
export function maxContext(channel: ProvenChannel, approvals: Approvals): MenuContext {
  const instructions = Object.values(approvals).reduce(joinTexts);
  const settings = {
    channel,
    operator: 'telecel' as const,
    localTime: '',
    approvals: perOperator(() => instructions),
  };
  return { ...createProofContext(settings), isServiceUnavailable: true };
}

/** Returns a fee that no service exceeds: 100 % of the price, and at least GHS 99.99. */
function maxFee(goodsMinor: number): number {
  return Math.max(goodsMinor, 99_99);
}

/** Returns the price with the largest fee, up to the largest collection. */
export function maxTotal(goodsMinor: number): number {
  return Math.min(maxAmountMinor, goodsMinor + maxFee(goodsMinor));
}

/** Draws a screen with its largest values, in each form that it can have; empty for a lookup. */
export function drawScreen(measuring: Measuring, name: string, language: string): Drawn[] {
  const { menu, channel, approvals, screens } = measuring;
  const known = screens.get(name);
  const content = menu.screens[name];
  if (!known || !content || content.kind === 'lookup') return [];
  const maxMenu = { ...menu, messages: withForms(menu.messages, known.bounds) };
  const screen = maxScreen(content, known);
  const base = maxContext(channel, approvals);
  const { amount } = known.values;
  const character = textOfSize(1, 2, channel.alphabet === 'gsm');
  const drawIn = (one: Screen, context: MenuContext, isQuoted = true): Drawn => {
    const { operator } = context;
    const answers: Answers = {
      ...(amount && { amountMinor: amountMinor(amount.max) }),
      ...(known.hasOtherPayer && { payer: samplePayer(operator), operator }),
    };
    const state: MenuState = {
      screen: name,
      language,
      answers,
      invalidInputs: 0,
      // A text of several pages: it is divided, down to single characters.
      ...(one.kind === 'proxy' && {
        proxied: { turn: 1, text: Array(maxProxyText).fill(character).join('\n') },
      }),
      ...(isQuoted && quoteFor(answers, context)),
    };
    const isOverridden = one.kind === 'end' && one.operators[operator] !== undefined;
    const isRepeatable = !channel.sequenced && one.kind !== 'confirm';
    const notices = noticesOn(menu, content, isRepeatable).map((notice) =>
      noticeText(maxMenu, one, { ...state, notice }),
    );
    return {
      name,
      path: ['screens', name, ...(isOverridden ? ['operators', operator] : ['text']), language],
      units: draw(maxMenu, one, state, context),
      ...(one.kind !== 'end' && { notices }),
    };
  };
  switch (screen.kind) {
    case 'end': {
      const hasOwn = Object.keys(screen.operators).length > 0;
      const networks = operators.map((operator) => ({ ...base, operator, approvals }));
      return (hasOwn ? networks : [base]).map((context) => drawIn(screen, context));
    }
    case 'confirm': {
      // A line with the fee is left out when another value in it is missing; a message replaces it.
      const lines = pick(screen.text, language).split('\n');
      const withoutFee = lines.filter((line) => !mentionsFee(line)).join('\n');
      return [
        drawIn(screen, base),
        drawIn(screen, base, false),
        drawIn({ ...screen, text: withoutFee }, base),
      ];
    }
    case 'requests':
      return [drawIn(screen, base), drawIn(screen, { ...base, blocksRequests: true })];
    default:
      return [drawIn(screen, base)];
  }
}

function quoteFor(answers: Answers, context: MenuContext): Pick<MenuState, 'quoted'> {
  const intent = createIntent(answers, context);
  if (!intent) return {};
  const { amountMinor: goods, shortReference: reference } = intent;
  const quote = { id: 'quo_0', reference, feeMinor: maxFee(goods), totalMinor: maxTotal(goods) };
  return { quoted: { key: quoteKey(intent), quote } };
}

/** Returns a screen with the largest form of each value in place of its placeholder, and without the conditions of options. */
function maxScreen(screen: Screen, { values, bounds }: ScreenValues): Screen {
  const own = screen.kind === 'ask' ? Object.keys(questionTemplateValues(screen, {})) : [];
  const others = Object.entries(values).filter(([name]) => !own.includes(name));
  const forms = withForms(screen, { ...Object.fromEntries(others), ...bounds });
  if (forms.kind === 'choose') {
    const options = forms.options.map(({ when: _, ...option }) => {
      if (option.each === undefined) return option;
      const items = findItems(values, option);
      const fields = Object.entries(items?.fields ?? {}).map(([field, one]) => [`item.${field}`, one]);
      const list = Array<Record<string, never>>(items?.max ?? 0).fill({});
      return { ...withForms(option, Object.fromEntries(fields)), list };
    });
    return { ...forms, options };
  }
  if (forms.kind !== 'ask' || forms.answer !== 'amount') return forms;
  return { ...forms, min: amountMinor(bounds.min?.max ?? 0), max: amountMinor(bounds.max?.max ?? 0) };
}

/** Replaces the placeholders in the texts of a part. A value in a text has no braces. */
function withForms<Part>(part: Part, values: Domains): Part {
  const withForm = (whole: string, name: string, format?: string) => {
    const isWords = name === 'amount_words';
    const domain = Object.hasOwn(values, name) ? values[name] : isWords ? values.amount : undefined;
    if (!domain || domain.kind === 'list') return whole;
    return maxForm(domain, isWords ? 'words' : format).replace(/[{}]/g, '[');
  };
  const text = JSON.stringify(part, (_, value) =>
    typeof value === 'string' ? value.replace(/\{([a-z0-9_.-]+)(?::([a-z]+))?\}/g, withForm) : value,
  );
  return JSON.parse(text);
}

/** The notices for an invalid answer to each question. */
const invalidAnswers: Readonly<Record<AskScreen['answer'], readonly MessageName[]>> = {
  amount: ['invalidAmount', 'amountTooSmall', 'amountTooLarge'],
  msisdn: ['invalidMsisdn'],
  reference: ['invalidReference', 'invalidReferenceCharacters'],
  text: ['invalidText'],
  number: ['invalidNumber', 'numberTooSmall', 'numberTooLarge'],
};

/**
 * The notices that can stand above a screen.
 *
 * @param isRepeatable an input led to the screen, which a repeat of it must not answer. Keys of confirmations exclude repeats.
 */
export function noticesOn(menu: Menu, screen: MenuScreen, isRepeatable: boolean): MessageName[] {
  const isOfMenu = 'text' in screen || screen.kind === 'proxy';
  const isAskedAgain = Object.values(menu.screens).some((one) => one.kind === 'lookup' && !one.notFound);
  const invalid = screen.kind === 'status' ? 'invalidShortReference' : 'invalidOption';
  return [
    ...(screen.kind === 'ask' ? invalidAnswers[screen.answer] : [invalid as MessageName]),
    ...(isRepeatable ? (['typeAgain'] as const) : []),
    ...(isAskedAgain && isOfMenu ? (['notFound'] as const) : []),
  ];
}
