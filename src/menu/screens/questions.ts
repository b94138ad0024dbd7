import { createIntent, quoteFor } from '../effects/quote.ts';
import type { AskScreen, ChooseScreen, ConfirmScreen, Menu, ProxyScreen } from '../schema.ts';
import { readAnswer } from '../state/answer.ts';
import { resolveRoute } from '../state/condition.ts';
import { enter, leave, nextTurn } from '../state/enter.ts';
import { listPaymentAnswers } from '../state/payment-answers.ts';
import type { Answers, Intent, MenuContext, MenuState, PaymentSummary, Step } from '../state/state.ts';
import { createTemplateValues } from '../text/render.ts';
import { confirmKeys } from './draw.ts';
import { applyPreset, listOptions, optionNumbers, resolveAmount } from './options.ts';
import { findScreen, type ScreenInput } from './screen.ts';
import { close, endLost, findNextPage, forgetInput, rejectInput, show } from './show.ts';

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

/** Handles yes and no on a confirm screen. A yes becomes an intent after the duplicate check. */
export function applyConfirmation(input: ScreenInput, screen: ConfirmScreen): Step {
  const { menu, context, state, typed } = input;
  const intent = createIntent(state.answers, context, quoteFor(state, context));
  if (intent === undefined) return endLost(menu, state);
  const keys = confirmKeys(state);
  if (typed === keys.no) return close(menu, state, { endState: 'cancelled', message: 'cancelled' });
  // A payer can only confirm a text that was shown completely.
  const isComplete = typed === keys.yes && findNextPage(input) === undefined;
  if (!isComplete) return rejectInput(menu, state, context, 'invalidOption');
  const confirmed = confirmedStep(menu, state, context, { screen, intent });
  return confirmed.intent ? { ...confirmed, effect: { kind: 'duplicate', state, intent } } : confirmed;
}

/** The end screen after a confirm screen, with the intent and its answers. */
export function confirmedStep(
  menu: Menu,
  { page: _, ...state }: MenuState,
  context: MenuContext,
  { screen, intent }: { screen: ConfirmScreen; intent: Intent },
): Step {
  const { reply, state: ended } = show(menu, { ...state, screen: screen.to, invalidInputs: 0 }, context);
  if (reply.kind !== 'end') return endLost(menu, state);
  const answers = listPaymentAnswers(menu, state.answers);
  return { state: ended, reply, intent: answers.length === 0 ? intent : { ...intent, answers } };
}

/** Shows the duplicate screen after a confirmation on the confirm screen of `state`. */
export function showDuplicate(
  menu: Menu,
  state: MenuState,
  context: MenuContext,
  duplicate: PaymentSummary,
): Step {
  const { language, answers, lastInput: previousInput } = state;
  const { yes: lastInput } = confirmKeys(state);
  const next = leave(state, { screen: '(duplicate)', language, answers, lastInput });
  return show(
    menu,
    { ...next, duplicate, ...(previousInput === undefined ? {} : { previousInput }) },
    context,
  );
}

/** Handles yes and no on the duplicate screen: only this second confirmation pays the same again. */
export function applyDuplicateConfirmation(input: ScreenInput): Step {
  const { menu, context, state, typed } = input;
  const screen = findScreen(menu, state.history?.at(-1)?.screen ?? '');
  const intent = createIntent(state.answers, context, quoteFor(state, context));
  if (screen?.kind !== 'confirm' || intent === undefined) return endLost(menu, state);
  const keys = confirmKeys(state);
  if (typed === keys.no) return close(menu, state, { endState: 'cancelled', message: 'cancelled' });
  const isComplete = typed === keys.yes && findNextPage(input) === undefined;
  if (!isComplete) return rejectInput(menu, state, context, 'invalidOption');
  const { duplicate: _, previousInput: _previous, ...rest } = state;
  return confirmedStep(menu, rest, context, { screen, intent });
}
