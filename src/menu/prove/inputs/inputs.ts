import { unreachable } from '../../../shared/errors.ts';
import { formatCedis, maxAmountMinor } from '../../../shared/money.ts';
import { localForm, type Msisdn } from '../../../shared/msisdn.ts';
import { gsmSeptetsOf } from '../../../shared/screen-text.ts';
import type { AmountScreen, AskScreen, ChooseScreen, Menu, Option } from '../../schema.ts';
import { confirmKeys } from '../../screens/draw.ts';
import { optionNumbers, optionsOf } from '../../screens/options.ts';
import { offersOf } from '../../screens/payment-offers.ts';
import { type MenuScreen, offerKeys, screenOf } from '../../screens/screen.ts';
import { boundsOf } from '../../state/amount-bounds.ts';
import { readAnswer } from '../../state/answer.ts';
import type { MenuContext, MenuState } from '../../state/state.ts';
import type { Item, Scalar } from '../../state/value.ts';
import { showValue } from '../../text/format.ts';
import { itemTemplateValues, templateValue, templateValuesOf } from '../../text/render.ts';
import { sampleShortReference } from '../channel.ts';
import { distinctionsOf, qualified, valueClass } from '../walk/distinctions.ts';
import { spellsAmounts } from '../walk/uses.ts';
import {
  amountsBetween,
  inputsOfOtherCharacters,
  longestCounts,
  numbersBetween,
  textsFor,
} from './candidates.ts';

/** The inputs to try in a state: one for each result that the menu can distinguish. */
export type Inputs = {
  /** Followed: the longest answers, the key for the next page, and an invalid input. */
  readonly followed: readonly string[];
  /** Followed, but not as progress: the keys for going back. */
  readonly back: readonly string[];
  /** The followed inputs whose result can depend on a notice above the screen. */
  readonly noticeSensitive: readonly string[];
  /** Only checked: a followed input leads to the same screens with longer texts. */
  readonly checked: readonly string[];
};

const noInputs: Inputs = { followed: [], back: [], noticeSensitive: [], checked: [] };

/** Creates the function that returns the inputs to try in a state. `payers` are the numbers to type as an answer. */
export function createInputs(
  menu: Menu,
  payers: readonly Msisdn[],
): (state: MenuState, context: MenuContext) => Inputs {
  const { back: backKey, home, more } = menu.keys;
  const backKeys = [backKey, home].flatMap((key) => (key === false ? [] : [key]));
  const answersTo = createAnswers(menu, payers);
  const optionKeys = createOptionKeys(menu);
  const inputsOn = (screen: MenuScreen, state: MenuState, context: MenuContext): Inputs => {
    const keysAnd = (...answers: string[]): Inputs => {
      // All keys for the next page have one effect. An empty input is never an answer.
      const noticeSensitive = [...more.slice(0, 1), ''];
      return { followed: [...answers, ...noticeSensitive], back: backKeys, noticeSensitive, checked: [] };
    };
    switch (screen.kind) {
      case 'choose':
        return keysAnd(...optionKeys(screen, state, context));
      case 'ask': {
        const { longest, others } = answersTo(screen, state, context);
        const isAnswer = (key: string) => readAnswer(screen, key, {}).ok;
        const isKey = (key: string) => !isAnswer(key);
        const noticeSensitive = [...more.filter(isKey).slice(0, 1), ''];
        return {
          followed: [...longest, ...noticeSensitive],
          back: backKeys.filter(isKey),
          noticeSensitive,
          checked: [...others, ...[...backKeys, ...more].filter(isAnswer)],
        };
      }
      case 'proxy':
        // The merchant's system gets every input. The keys of a confirm screen depend on these two.
        return keysAnd('1', '2');
      case 'confirm':
      case 'duplicate':
        return keysAnd(...Object.values(confirmKeys(state)));
      case 'status':
        return keysAnd(sampleShortReference);
      case 'requests':
        return keysAnd('1', '2');
      case 'resume':
        return keysAnd(...offerKeys(2, state, context));
      case 'language':
        return keysAnd(...offerKeys(menu.languages.length, state, context));
      case 'payment': {
        const payment = state.callerHistory?.payment;
        return payment === undefined
          ? noInputs
          : keysAnd(...offerKeys(offersOf(payment, context).length, state, context));
      }
      case 'lookup':
      case 'end':
        return noInputs;
      default:
        return unreachable(screen);
    }
  };
  return (state, context) => {
    const screen = screenOf(menu, state.screen);
    const { followed, checked, ...others } = screen ? inputsOn(screen, state, context) : noInputs;
    const { lastInput } = state;
    // A channel without sequence numbers suppresses a repeat of the last input, and the screen shows a notice.
    const isExtra = lastInput !== undefined && !followed.includes(lastInput);
    return { followed, checked: isExtra ? [...checked, lastInput] : checked, ...others };
  };
}

/**
 * Creates the function that returns one key for options of items that stand for each other, and always 1 and 2, on which the
 * keys of a confirm screen depend.
 */
function createOptionKeys(menu: Menu) {
  const isCovered = createIsCovered(menu);
  return (screen: ChooseScreen, state: MenuState, context: MenuContext): string[] => {
    const seen = new Set<string>();
    const options = optionsOf(screen, state, context);
    const numbers = optionNumbers(options.length, menu.keys);
    return options.flatMap(({ option, at, item }, i) => {
      const key = JSON.stringify([at, item]);
      const isDuplicate = seen.has(key) || isCovered(option, item);
      seen.add(key);
      return isDuplicate && i > 1 ? [] : (numbers[i] ?? []);
    });
  };
}

type Answers = { longest: string[]; others: string[] };

/** Creates the function that returns answers to a question; cached where they do not depend on the state. */
function createAnswers(menu: Menu, payers: readonly Msisdn[]) {
  const distinctions = distinctionsOf(menu);
  const withWords = spellsAmounts(menu);
  const known = new Map<AskScreen, Answers>();
  const amountsFor = (screen: AmountScreen, answers: MenuState['answers']): Answers => {
    const { min, max } = boundsOf(screen, answers);
    // Without a valid amount only the others are typed, and they are rejected.
    const others = [min, min - 1, max + 1].filter((amount) => amount >= 0 && amount <= maxAmountMinor);
    const longest = amountsBetween({ min, max }, distinctions('amount').amounts, withWords);
    return { longest: longest.map(typedAmount), others: others.map(typedAmount) };
  };
  const answersOf = (screen: Exclude<AskScreen, { answer: 'number' | 'amount' }>): Answers => {
    switch (screen.answer) {
      case 'msisdn':
        return { longest: payers.map(localForm), others: [] };
      case 'reference':
        return {
          longest: textsFor(screen, distinctions('reference')),
          others: [screen.example, ...inputsOfOtherCharacters(screen)],
        };
      case 'text':
        return { longest: textsFor(screen, distinctions(screen.name)), others: ['A'] };
      default:
        return unreachable(screen);
    }
  };
  return (screen: AskScreen, { answers }: MenuState, context: MenuContext): Answers => {
    if (screen.answer === 'amount') return amountsFor(screen, answers);
    if (screen.answer !== 'number') {
      const found = known.get(screen) ?? answersOf(screen);
      known.set(screen, found);
      if (screen.answer !== 'msisdn') return found;
      return { ...found, longest: [...found.longest, localForm(context.dialler)] };
    }
    const { min, max, each, name } = screen;
    const range = { min, max };
    const others = [min, min - 1, max + 1].filter((count) => count >= 0).map(String);
    const counts = distinctions(name).numbers;
    if (each === undefined) return { longest: numbersBetween(range, counts).map(String), others };
    const value =
      typeof each === 'number' ? undefined : templateValue(templateValuesOf(answers, context), each.from);
    const fromValue = typeof value === 'object' && 'amountMinor' in value ? value.amountMinor : 0;
    const price = typeof each === 'number' ? each : fromValue;
    const { amounts } = distinctions('amount');
    return { longest: longestCounts({ range, price, counts, amounts, withWords }).map(String), others };
  };
}

/** The amount as a payer types it, without the currency. */
function typedAmount(amount: number): string {
  return formatCedis(amount).replace('GHS ', '');
}

/**
 * Creates the function that returns whether an item of an option's own list stands for others: no condition distinguishes it
 * from an item whose fields are all at least as long. Every text is then at least as long with that item.
 */
function createIsCovered(menu: Menu): (option: Option, item: object) => boolean {
  const distinctions = distinctionsOf(menu);
  const known = new Map<Option, ReadonlySet<string>>();

  function keptOf(option: Option): ReadonlySet<string> {
    const classOf = (item: Item) =>
      Object.entries(item)
        .map(([field, value]) => valueClass(value, distinctions(qualified(`item.${field}`, option.each))))
        .join();
    const kept: { item: Item; key: string; lengths: number[] }[] = [];
    for (const item of option.list ?? []) {
      const one = { item, key: classOf(item), lengths: Object.values(item).flatMap(lengthsOf) };
      if (kept.some((other) => other.key === one.key && isAtLeast(other.lengths, one.lengths))) continue;
      const others = kept.filter(
        (other) => !(other.key === one.key && isAtLeast(one.lengths, other.lengths)),
      );
      kept.splice(0, kept.length, ...others, one);
    }
    return new Set(kept.map(({ item }) => JSON.stringify(itemTemplateValues(item))));
  }

  return (option, item) => {
    if (option.list === undefined) return false;
    const kept = known.get(option) ?? keptOf(option);
    known.set(option, kept);
    return !kept.has(JSON.stringify(item));
  };
}

/**
 * The characters and the septets of a value in each format whose length is not that of another one, and the amount itself: a
 * question for a count can multiply it.
 */
function lengthsOf(value: Scalar): number[] {
  const amount = typeof value === 'object' && 'amountMinor' in value ? [value.amountMinor] : [];
  const texts = [undefined, 'words', 'number'].map((format) => showValue(value, format));
  return [...amount, ...texts.flatMap((text) => [text.length, gsmSeptetsOf(text)])];
}

function isAtLeast(some: readonly number[], others: readonly number[]): boolean {
  return some.every((length, i) => length >= (others[i] ?? 0));
}
