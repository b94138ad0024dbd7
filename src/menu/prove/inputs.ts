import { unreachable } from '../../shared/errors.ts';
import { formatCedis, maxAmountMinor } from '../../shared/money.ts';
import { localForm, type Msisdn } from '../../shared/msisdn.ts';
import type { AskScreen, ChooseScreen, Menu } from '../schema.ts';
import { confirmKeys } from '../screens/draw.ts';
import { offerKeys } from '../screens/keys.ts';
import { optionsOf } from '../screens/options.ts';
import { offersOf } from '../screens/payment-offers.ts';
import { type MenuScreen, screenOf } from '../screens/screen.ts';
import { readAnswer } from '../state/answer.ts';
import type { MenuContext, MenuState } from '../state/state.ts';
import { templateValuesOf } from '../text/render.ts';
import { amountsBetween, numbersBetween, textsFor } from './candidates.ts';
import { distinctionsOf } from './distinctions.ts';
import { longestCounts } from './longest-count.ts';
import { isSpoken } from './uses.ts';

/** What payers type on a screen, one input for each kind of thing that may come of it. */
export type Inputs = {
  /** Are followed: the answers that take the most room, the key for the next page, and a mistake. */
  readonly followed: readonly string[];
  /** Are followed, and lead nowhere that a payer has not been. */
  readonly backwards: readonly string[];
  /** Of those that are followed, what a reason on top of the screen can make a difference to. */
  readonly unlike: readonly string[];
  /** Are only looked at: what comes after them comes after those that are followed too, and is longer there. */
  readonly tried: readonly string[];
};

const none: Inputs = { followed: [], backwards: [], unlike: [], tried: [] };

/** A short reference whose check digit is right. */
export const someShortReference = '00000000';

/** The inputs for each state of a menu. `payers` are the numbers to type where one is asked for. */
export function inputsOf(
  menu: Menu,
  payers: readonly Msisdn[],
): (state: MenuState, context: MenuContext) => Inputs {
  const { back, home, more } = menu.keys;
  const backKeys = [back, home].flatMap((key) => (key === false ? [] : [key]));
  const answersTo = answersIn(menu, payers);
  const inputsOn = (screen: MenuScreen, state: MenuState, context: MenuContext): Inputs => {
    // All keys for the next page do the same. Nothing at all is never an answer.
    const followed = (...answers: string[]) => {
      const unlike = [...more.slice(0, 1), ''];
      return { followed: [...answers, ...unlike], backwards: backKeys, unlike, tried: [] };
    };
    switch (screen.kind) {
      case 'choose':
        return followed(...choicesOn(screen, state, context));
      case 'ask': {
        const { worst, others } = answersTo(screen, state, context);
        const isAnswer = (key: string) => readAnswer(screen, key, {}).ok;
        const isKey = (key: string) => !isAnswer(key);
        const unlike = [...more.filter(isKey).slice(0, 1), ''];
        return {
          followed: [...worst, ...unlike],
          backwards: backKeys.filter(isKey),
          unlike,
          tried: [...others, ...[...backKeys, ...more].filter(isAnswer)],
        };
      }
      case 'confirm':
      case 'duplicate':
        return followed(...Object.values(confirmKeys(state)));
      case 'status':
        return followed(someShortReference);
      case 'requests':
        return followed('1', '2');
      case 'resume':
        return followed(...offerKeys(2, state, context));
      case 'language':
        return followed(...offerKeys(menu.languages.length, state, context));
      case 'payment': {
        const standing = state.callerHistory?.payment;
        return standing === undefined
          ? none
          : followed(...offerKeys(offersOf(standing, context).length, state, context));
      }
      case 'lookup':
      case 'end':
        return none;
      default:
        return unreachable(screen);
    }
  };
  return (state, context) => {
    const screen = screenOf(menu, state.screen);
    const { followed, tried, ...others } = screen ? inputsOn(screen, state, context) : none;
    const { lastInput } = state;
    // The input that led here: a channel that cannot tell repeats holds it back, and the screen says so.
    const isNew = lastInput !== undefined && !followed.includes(lastInput);
    return { followed, tried: isNew ? [...tried, lastInput] : tried, ...others };
  };
}

/** Of options that stand for equal items the first; and those that the keys of a confirm screen depend on. */
function choicesOn(screen: ChooseScreen, state: MenuState, context: MenuContext): string[] {
  const seen = new Set<string>();
  return optionsOf(screen, state, context).flatMap(({ at, item }, i) => {
    const key = JSON.stringify([at, item]);
    const isKnown = seen.has(key);
    seen.add(key);
    return isKnown && i > 1 ? [] : String(i + 1);
  });
}

type Answers = { worst: string[]; others: string[] };

/** The answers to questions, each question looked at once where they do not depend on what was said before. */
function answersIn(menu: Menu, payers: readonly Msisdn[]) {
  const distinctions = distinctionsOf(menu);
  const spoken = isSpoken(menu);
  const known = new Map<AskScreen, Answers>();
  const answersOf = (screen: Exclude<AskScreen, { answer: 'number' }>): Answers => {
    switch (screen.answer) {
      case 'amount': {
        const { min, max } = screen;
        const others = [min, min - 1, max + 1].filter((amount) => amount <= maxAmountMinor);
        const worst = amountsBetween(min, max, distinctions('amount').amounts, spoken);
        return { worst: worst.map(figures), others: others.map(figures) };
      }
      case 'msisdn':
        return { worst: payers.map(localForm), others: [] };
      case 'reference':
        return { worst: textsFor(screen, distinctions('reference')), others: [screen.example] };
      case 'text':
        return { worst: textsFor(screen, distinctions(screen.name)), others: ['A'] };
      default:
        return unreachable(screen);
    }
  };
  return (screen: AskScreen, { answers }: MenuState, context: MenuContext): Answers => {
    if (screen.answer !== 'number') {
      const found = known.get(screen) ?? answersOf(screen);
      known.set(screen, found);
      const isOfPayer = screen.answer === 'msisdn';
      return isOfPayer ? { ...found, worst: [...found.worst, localForm(context.dialler)] } : found;
    }
    const { min, max, each, name } = screen;
    const others = [min, min - 1, max + 1].filter((count) => count >= 0).map(String);
    const turns = distinctions(name).numbers;
    if (each === undefined) return { worst: numbersBetween(min, max, turns).map(String), others };
    const value = typeof each === 'number' ? undefined : templateValuesOf(answers, context)[each.from];
    const looked = typeof value === 'object' && 'amountMinor' in value ? value.amountMinor : 0;
    const price = typeof each === 'number' ? each : looked;
    const amounts = distinctions('amount').amounts;
    return { worst: longestCounts({ min, max }, price, turns, amounts, spoken).map(String), others };
  };
}

function figures(amount: number): string {
  return formatCedis(amount).replace('GHS ', '');
}
