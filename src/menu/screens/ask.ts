import type { AskScreen, Menu } from '../schema.ts';
import { readAnswer } from '../state/answer.ts';
import { resolveRoute } from '../state/condition.ts';
import { enter, leave } from '../state/enter.ts';
import type { Answers, MenuContext, MenuState, Step } from '../state/state.ts';
import { templateValuesOf } from '../text/render.ts';
import { amountOf } from './options.ts';
import { forgetInput, rejectInput } from './show.ts';

export function takeAnswer(
  menu: Menu,
  screen: AskScreen,
  state: MenuState,
  typed: string,
  context: MenuContext,
): Step {
  const reading = readAnswer(screen, typed, state.answers);
  if (!reading.ok) return rejectInput(menu, forgetInput(state), context, reading.reason);
  const answers = priced(screen, reading.answers, context);
  // More of them than any wallet pays for.
  if (answers === undefined) return rejectInput(menu, forgetInput(state), context, 'numberTooLarge');
  const { language } = state;
  const to = resolveRoute(screen.to, { answers, language }, context);
  return enter(menu, leave(state, { screen: to, language, answers, lastInput: typed }), context);
}

/** The answers with the amount that a number of things costs, where they have a price. */
function priced(screen: AskScreen, answers: Answers, context: MenuContext): Answers | undefined {
  if (screen.answer !== 'number' || screen.each === undefined) return answers;
  const count = answers.values?.[screen.name];
  if (typeof count !== 'object' || !('number' in count)) return undefined;
  const total = amountOf(screen.each, templateValuesOf(answers, context), count.number);
  return total === undefined ? undefined : { ...answers, amountMinor: total };
}
