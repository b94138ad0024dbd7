import type { Menu } from '../schema.ts';
import { startMenu } from '../state/begin.ts';
import type { MenuContext, MenuState, Step } from '../state/state.ts';
import { offerKeys } from './keys.ts';
import { rejectInput } from './show.ts';

export function takeLanguage(menu: Menu, state: MenuState, typed: string, context: MenuContext): Step {
  const { languages } = menu;
  const language = languages[offerKeys(languages.length, state, context).indexOf(typed)];
  if (language === undefined) return rejectInput(menu, state, context, 'invalidOption');
  const begun = startMenu(menu, language, context, { lastInput: typed });
  return { ...begun, preferences: [{ kind: 'language', language }] };
}
