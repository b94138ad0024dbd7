import { takes } from '../../shared/screen-text.ts';
import type { Menu } from '../schema.ts';
import { endStates, type MenuContext } from '../state/state.ts';
import { likelyOperator } from '../text/render.ts';
import { type Approvals, type Kind, operatorsOf, otherNumber } from './channel.ts';
import type { Lengths, Shown } from './lengths.ts';
import { paymentTexts } from './payment-texts.ts';
import { answersAlong, inputsAlong, messageOf, type Turn } from './turn.ts';

/** Notes how long the text of a turn is. */
export function measureTurn(menu: Menu, lengths: Lengths, turn: Turn): void {
  const { shown, way, context } = turn;
  const { state, reply } = shown;
  const { language } = state;
  const name = messageOf(menu, turn);
  // What was told, and how a collection stands, is said by one of several messages.
  const isOneOfMany = state.screen === endStates.closed || state.screen === '(payment)';
  const screen = isOneOfMany && name !== undefined ? `(${name})` : state.screen;
  note(lengths, { screen, language, septets: takes(reply.text, context.alphabet) }, () => ({
    inputs: inputsAlong(way),
    answered: answersAlong(way),
    path: name === undefined ? pathOf(menu, state, context) : ['messages', name, language],
  }));
}

/** Notes how long the last screens are that need no walk. */
export function measurePayment(menu: Menu, lengths: Lengths, kind: Kind, approvals: Approvals): void {
  for (const operator of operatorsOf(menu, approvals)) {
    const values = { merchant: kind.merchant, approvals: approvals[operator], payer: otherNumber(operator) };
    for (const language of menu.languages) {
      for (const { name, text } of paymentTexts(menu, language, values)) {
        note(lengths, { screen: `(${name})`, language, septets: takes(text, kind.alphabet) }, () => ({
          inputs: [],
          answered: [],
          path: ['messages', name, language],
        }));
      }
    }
  }
}

function note(
  lengths: Lengths,
  measured: Pick<Shown, 'screen' | 'language' | 'septets'>,
  about: () => Pick<Shown, 'inputs' | 'answered' | 'path'>,
): void {
  const key = `${measured.screen} ${measured.language}`;
  if (measured.septets <= (lengths.get(key)?.septets ?? -1)) return;
  lengths.set(key, { ...measured, ...about() });
}

/** Where the text of a state stands in the file. */
function pathOf(
  menu: Menu,
  { screen, language, answers }: Turn['shown']['state'],
  context: MenuContext,
): (string | number)[] {
  const content = menu.screens[screen];
  if (content === undefined) return ['languages'];
  const operator = content.kind === 'end' && likelyOperator(answers, context);
  const own = operator && content.operators[operator] !== undefined ? ['operators', operator] : ['text'];
  return ['screens', screen, ...own, language];
}
