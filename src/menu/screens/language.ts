import type { Menu } from '../schema.ts';
import { begin } from '../state/begin.ts';
import type { MenuContext, MenuState, Step } from '../state/state.ts';
import { offerKeys } from './keys.ts';
import { mistake } from './show.ts';

export function takeLanguage(menu: Menu, state: MenuState, typed: string, context: MenuContext): Step {
  const { languages } = menu;
  const language = languages[offerKeys(languages.length, state, context).indexOf(typed)];
  if (language === undefined) return mistake(menu, state, context, 'badChoice');
  const begun = begin(menu, language, context, { lastInput: typed });
  return { ...begun, notes: [{ kind: 'language', language }] };
}
