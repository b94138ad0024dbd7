import { unreachable } from '../../shared/errors.ts';
import { showShortReference } from '../../shared/short-reference.ts';
import type { LookupScreen, Menu } from '../schema.ts';
import { statusMessages } from '../screens/draw.ts';
import { confirmedStep, showDuplicate } from '../screens/questions.ts';
import { findScreen } from '../screens/screen.ts';
import { close, endLost, rejectPayment, show } from '../screens/show.ts';
import { contextAtStart, keepStart } from '../state/condition.ts';
import { enter, enterWithResult, enterWithTurn } from '../state/enter.ts';
import type { Effect, EffectResult, LookedUp, LookupAnswer, MenuContext, Step } from '../state/state.ts';
import { applyPendingInputs } from '../state/step.ts';
import { paymentTemplateValues } from '../text/messages.ts';
import { readAnswerFields, readProxyAnswer } from './lookup.ts';
import { quoteKey } from './quote.ts';

type EffectOf<Kind extends Effect['kind']> = Extract<Effect, { kind: Kind }>;
type ResultOf<Kind extends Effect['kind']> = Extract<EffectResult, { kind: Kind }>;

/** Returns the step after an effect. Pure and total: an unusable result, and one of another kind, count as none. */
export function applyEffectResult(
  menu: Menu,
  effect: Effect,
  result: EffectResult,
  context: MenuContext,
): Step {
  const atStart = contextAtStart(effect.state, context);
  return keepStart(menu, applyResult(menu, effect, result, atStart), atStart);
}

function applyResult(menu: Menu, effect: Effect, result: EffectResult, context: MenuContext): Step {
  switch (effect.kind) {
    case 'lookup': {
      const answer: LookupAnswer = result.kind === 'lookup' ? result.answer : { kind: 'none' };
      return applyPendingInputs(menu, applyLookup(menu, effect, answer, context), context);
    }
    case 'proxy':
      return applyProxy(menu, effect, result.kind === 'proxy' ? result.answer : { kind: 'none' }, context);
    case 'quote': {
      const quote = result.kind === 'quote' ? result.quote : undefined;
      return applyPendingInputs(menu, applyQuote(menu, effect, quote, context), context);
    }
    case 'status':
      return applyStatus(menu, effect, result.kind === 'status' ? result.found : undefined, context);
    case 'duplicate':
      return result.kind === 'duplicate'
        ? applyDuplicate(menu, effect, result.found, context)
        : show(menu, effect.state, context);
    default:
      return unreachable(effect);
  }
}

function applyLookup(
  menu: Menu,
  { state }: EffectOf<'lookup'>,
  answer: LookupAnswer,
  context: MenuContext,
): Step {
  const screen = findScreen(menu, state.screen);
  if (screen?.kind !== 'lookup') return endLost(menu, state);
  return enterWithResult({ menu, context, screen, state }, usableAnswer(answer, screen));
}

function usableAnswer(answer: LookupAnswer, { take }: LookupScreen): LookedUp['answer'] | undefined {
  if (answer.kind === 'none') return undefined;
  if (answer.kind === 'not_found') return 'not_found';
  const read = readAnswerFields(take, answer.fields);
  return read.ok ? read.values : undefined;
}

function applyProxy(menu: Menu, effect: EffectOf<'proxy'>, answer: LookupAnswer, context: MenuContext): Step {
  // A dialled suffix ends here: its answers are for screens of the menu.
  const { pendingInputs: _, ...state } = effect.state;
  const screen = findScreen(menu, state.screen);
  if (screen?.kind !== 'proxy') return endLost(menu, state);
  const read = answer.kind === 'found' ? readProxyAnswer(screen, answer.fields) : undefined;
  return enterWithTurn({ menu, context, screen, state }, effect, read?.ok ? read : undefined);
}

function applyQuote(
  menu: Menu,
  { state, request }: EffectOf<'quote'>,
  quote: ResultOf<'quote'>['quote'],
  context: MenuContext,
): Step {
  if (quote === 'rejected') return rejectPayment(menu, state, context, 'paymentNotPossible');
  const quoted = quote && { key: quoteKey(request), quote };
  const { effect: _, ...step } = enter(menu, quoted ? { ...state, quoted } : state, context);
  return step;
}

function applyStatus(
  menu: Menu,
  { state, shortReference }: EffectOf<'status'>,
  found: ResultOf<'status'>['found'],
  context: MenuContext,
): Step {
  if (found === undefined) {
    const values = { short_reference: showShortReference(shortReference) };
    return close(menu, state, { endState: 'closed', message: 'statusNotFound', values });
  }
  const values = paymentTemplateValues(menu, state.language, found, context);
  return close(menu, state, { endState: 'closed', message: statusMessages[found.state], values });
}

/** Asks for a second confirmation of a duplicate; lets any other intent through. */
function applyDuplicate(
  menu: Menu,
  { state, intent }: EffectOf<'duplicate'>,
  found: ResultOf<'duplicate'>['found'],
  context: MenuContext,
): Step {
  if (found !== undefined) return showDuplicate(menu, state, context, found);
  const screen = findScreen(menu, state.screen);
  if (screen?.kind !== 'confirm') return endLost(menu, state);
  return confirmedStep(menu, state, context, { screen, intent });
}
