import type { AskScreen, ChooseScreen, Menu, ProxyScreen } from '../schema.ts';
import { readAnswer } from '../state/answer.ts';
import { resolveRoute } from '../state/condition.ts';
import { enter, leave, nextTurn } from '../state/enter.ts';
import type { Answers, MenuContext, Step } from '../state/state.ts';
import { createTemplateValues } from '../text/render.ts';
import { applyPreset, listOptions, optionNumbers, resolveAmount } from './options.ts';
import type { ScreenInput } from './screen.ts';
import { forgetInput, rejectInput } from './show.ts';

/** Reads the answer to a question and enters the next screen. */
export function applyAnswer({ menu, context, state, typed }: ScreenInput, screen: AskScreen): Step {
  const reading = readAnswer(screen, typed, state.answers);
  if (!reading.ok) return rejectInput(menu, forgetInput(state), context, reading.reason);
  const answers = withPrice(screen, reading.answers, context);
  if (answers === undefined) return rejectInput(menu, forgetInput(state), context, 'numberTooLarge');
  const { language } = state;
  const to = resolveRoute(screen.to, { answers, language }, context);
  return enter(menu, leave(state, { screen: to, language, answers, lastInput: typed }), context);
}

/** The answers with the price of a number of items; `undefined` when no wallet could pay that amount. */
function withPrice(screen: AskScreen, answers: Answers, context: MenuContext): Answers | undefined {
  if (screen.answer !== 'number' || screen.each === undefined) return answers;
  const count = answers.values?.[screen.name];
  if (typeof count !== 'object' || !('number' in count)) return undefined;
  const total = resolveAmount(screen.each, createTemplateValues(answers, context), count.number);
  return total === undefined ? undefined : { ...answers, amountMinor: total };
}

/** Applies the chosen option and enters the next screen. */
export function applyOption({ menu, context, state, typed }: ScreenInput, screen: ChooseScreen): Step {
  const options = listOptions(screen, state, context);
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

/** Passes an input to the merchant's system. The keys of the menu never reach it, also where they lead nowhere. */
export function applyProxyInput({ menu, context, state, typed }: ScreenInput, screen: ProxyScreen): Step {
  const { back, home, more } = menu.keys;
  if (typed === '' || [back, home, ...more].includes(typed)) {
    return rejectInput(menu, forgetInput(state), context, 'invalidOption');
  }
  return nextTurn({ menu, context, screen, state }, typed);
}
