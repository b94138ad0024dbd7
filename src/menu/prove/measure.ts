import { septets } from '../../shared/screen-text.ts';
import { likelyOperator } from '../render.ts';
import type { Menu } from '../schema.ts';
import { closings, type MenuContext } from '../state.ts';
import { type Approvals, type Kind, operatorsOf } from './channel.ts';
import type { Lengths, Shown } from './lengths.ts';
import { standingTexts } from './standing.ts';
import { inputsAlong, type Turn } from './walk.ts';

const closingMessages: Readonly<Record<string, string>> = {
  [closings.cancelled]: 'cancelled',
  [closings.mistakes]: 'tooManyMistakes',
  [closings.lost]: 'sessionLost',
};

/** Notes how long the text of a turn is. */
export function measureTurn(menu: Menu, lengths: Lengths, { shown, way }: Turn, context: MenuContext): void {
  const { state, reply } = shown;
  const { screen, language } = state;
  note(lengths, screen, language, reply.text, () => ({
    inputs: inputsAlong(way),
    path: pathOf(menu, shown.state, context),
  }));
}

/** Notes how long the last screens are that need no walk. */
export function measureStanding(menu: Menu, lengths: Lengths, kind: Kind, approvals: Approvals): void {
  for (const operator of operatorsOf(menu, approvals)) {
    const values = { merchant: kind.merchant, approvals: approvals[operator] };
    for (const language of menu.languages) {
      for (const { name, text } of standingTexts(menu, language, values)) {
        note(lengths, `(${name})`, language, text, () => ({
          inputs: [],
          path: ['messages', name, language],
        }));
      }
    }
  }
}

function note(
  lengths: Lengths,
  screen: string,
  language: string,
  text: string,
  about: () => Pick<Shown, 'inputs' | 'path'>,
): void {
  const key = `${screen} ${language}`;
  const length = septets(text);
  if (length <= (lengths.get(key)?.septets ?? -1)) return;
  lengths.set(key, { screen, language, septets: length, ...about() });
}

/** Where the text of a state stands in the file. */
function pathOf(menu: Menu, { screen, language, answers }: Turn['shown']['state'], context: MenuContext) {
  const content = menu.screens[screen];
  if (content === undefined) return ['messages', closingMessages[screen] ?? screen, language];
  const operator = content.kind === 'end' && likelyOperator(answers, context);
  const own = operator && content.operators[operator] !== undefined ? ['operators', operator] : ['text'];
  return ['screens', screen, ...own, language];
}
