import { unreachable } from '../../shared/errors.ts';
import { formatCedis, largestAmountMinor } from '../../shared/money.ts';
import { localForm, type Msisdn } from '../../shared/msisdn.ts';
import { readAnswer } from '../answer.ts';
import type { AskScreen, Menu, Screen } from '../schema.ts';
import type { MenuState } from '../state.ts';
import { longestAmounts } from './longest-amount.ts';
import { longestReference } from './longest-reference.ts';

/** What payers type on a screen, one input for each kind of thing that may come of it. */
export type Inputs = {
  /** Are followed: the answers that take the most room, the keys, and a mistake. */
  readonly followed: readonly string[];
  /** Are only looked at: what comes after them comes after those that are followed too, and is longer there. */
  readonly tried: readonly string[];
};

/** The inputs for each state of a menu. `payers` are the numbers to type where one is asked for. */
export function inputsOf(
  menu: Menu,
  payers: readonly Msisdn[],
): (state: Pick<MenuState, 'screen' | 'lastInput'>) => Inputs {
  const { back, home, more } = menu.keys;
  const keys = [back, home, ...more].flatMap((key) => (key === false ? [] : [key]));
  const byScreen = new Map(
    Object.entries(menu.screens).map(([name, screen]) => [name, inputsOn(screen, keys, payers)] as const),
  );
  return ({ screen, lastInput }) => {
    const { followed, tried } = byScreen.get(screen) ?? { followed: [], tried: [] };
    // The input that led here: a channel that cannot tell repeats holds it back, and the screen says so.
    return { followed, tried: lastInput === undefined ? tried : [...tried, lastInput] };
  };
}

function inputsOn(screen: Screen, keys: readonly string[], payers: readonly Msisdn[]): Inputs {
  // Nothing at all is never an answer.
  const mistake = '';
  switch (screen.kind) {
    case 'choose':
      return { followed: [...screen.options.map((_, i) => String(i + 1)), ...keys, mistake], tried: [] };
    case 'ask': {
      const { worst, others } = answersTo(screen, payers);
      const isAnswer = (key: string) => readAnswer(screen, key, {}).ok;
      return {
        followed: [...worst, ...keys.filter((key) => !isAnswer(key)), mistake],
        tried: [...others, ...keys.filter(isAnswer)],
      };
    }
    case 'confirm':
      return { followed: ['1', '2', '7', '8', ...keys, mistake], tried: [] };
    case 'end':
      return { followed: [], tried: [] };
    default:
      return unreachable(screen);
  }
}

function answersTo(screen: AskScreen, payers: readonly Msisdn[]): { worst: string[]; others: string[] } {
  switch (screen.answer) {
    case 'amount': {
      const { min, max } = screen;
      const others = [min, min - 1, max + 1].filter((amount) => amount <= largestAmountMinor);
      return { worst: longestAmounts(min, max).map(figures), others: others.map(figures) };
    }
    case 'msisdn':
      return { worst: payers.map(localForm), others: [] };
    case 'reference':
      return { worst: [longestReference(screen.pattern) ?? screen.example], others: [screen.example] };
    case 'text':
      // A bracket takes two septets, and is a sign like others to who types it.
      return { worst: ['['.repeat(screen.maxLength)], others: ['A'] };
    default:
      return unreachable(screen);
  }
}

function figures(amount: number): string {
  return formatCedis(amount).replace('GHS ', '');
}
