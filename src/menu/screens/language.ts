import { startMenu } from '../state/start-menu.ts';
import type { Step } from '../state/state.ts';
import { offerKeys } from './keys.ts';
import type { ScreenInput } from './screen-input.ts';
import { rejectInput } from './show.ts';

/** Starts the menu in the chosen language. */
export function applyLanguage({ menu, context, state, typed }: ScreenInput): Step {
  const { languages } = menu;
  const language = languages[offerKeys(languages.length, state, context).indexOf(typed)];
  if (language === undefined) return rejectInput(menu, state, context, 'invalidOption');
  const step = startMenu(menu, language, context, { lastInput: typed });
  return { ...step, preferences: [{ kind: 'language', language }] };
}
