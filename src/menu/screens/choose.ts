import type { ChooseScreen, Menu } from '../schema.ts';
import { resolveRoute } from '../state/condition.ts';
import { enter, leave } from '../state/enter.ts';
import type { Step } from '../state/state.ts';
import { applyPreset, optionNumbers, optionsOf } from './options.ts';
import type { ScreenInput } from './screen-input.ts';
import { forgetInput, rejectInput } from './show.ts';

/** Applies the chosen option and enters the next screen. */
export function applyOption({ menu, context, state, typed }: ScreenInput, screen: ChooseScreen): Step {
  const options = optionsOf(screen, state, context);
  const chosen = options[optionNumbers(options.length, menu.keys).indexOf(typed)];
  if (chosen === undefined) return rejectInput(menu, forgetInput(state), context, 'invalidOption');
  const { option, item } = chosen;
  const answers = option.set ? applyPreset(option.set, state.answers, context, item) : state.answers;
  const language = languageAfter(menu, option.language, state.language);
  const to = resolveRoute(option.to, { answers, language }, context, item);
  const step = enter(menu, leave(state, { screen: to, language, answers, lastInput: typed }), context);
  return option.language === undefined ? step : { ...step, preferences: [{ kind: 'language', language }] };
}

function languageAfter(menu: Menu, chosen: string | undefined, current: string): string {
  if (chosen !== 'next') return chosen ?? current;
  const next = (menu.languages.indexOf(current) + 1) % menu.languages.length;
  return menu.languages[next] ?? menu.languages[0];
}
