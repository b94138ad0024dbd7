import type { AskScreen } from '../schema.ts';
import { readAnswer } from '../state/answer.ts';
import { resolveRoute } from '../state/condition.ts';
import { enter, leave } from '../state/enter.ts';
import type { Answers, MenuContext, Step } from '../state/state.ts';
import { templateValuesOf } from '../text/render.ts';
import { amountOf } from './options.ts';
import type { ScreenInput } from './screen-input.ts';
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
  const total = amountOf(screen.each, templateValuesOf(answers, context), count.number);
  return total === undefined ? undefined : { ...answers, amountMinor: total };
}
