import type { ChooseScreen, Menu } from '../schema.ts';
import { resolveRoute } from '../state/condition.ts';
import { enter, leave } from '../state/enter.ts';
import type { MenuContext, MenuState, PreferenceChange, Step } from '../state/state.ts';
import { applyPreset, optionsOf } from './options.ts';
import { forgetInput, rejectInput } from './show.ts';

export function takeChoice(
  menu: Menu,
  screen: ChooseScreen,
  state: MenuState,
  typed: string,
  context: MenuContext,
): Step {
  const chosen = /^[1-9]\d?$/.test(typed) ? optionsOf(screen, state, context)[Number(typed) - 1] : undefined;
  if (chosen === undefined) return rejectInput(menu, forgetInput(state), context, 'invalidOption');
  const { option, item } = chosen;
  const answers = applyPreset(option.set ?? {}, state.answers, context, item);
  const language = languageAfter(menu, option.language, state.language);
  const to = resolveRoute(option.to, { answers, language }, context, item);
  const entered = enter(menu, leave(state, { screen: to, language, answers, lastInput: typed }), context);
  const notes: PreferenceChange[] = option.language === undefined ? [] : [{ kind: 'language', language }];
  return notes.length === 0 ? entered : { ...entered, preferences: notes };
}

function languageAfter(menu: Menu, wanted: string | undefined, current: string): string {
  if (wanted !== 'next') return wanted ?? current;
  const next = (menu.languages.indexOf(current) + 1) % menu.languages.length;
  return menu.languages[next] ?? menu.languages[0];
}
