import { unreachable } from '../../shared/errors.ts';
import { showShortReference } from '../../shared/short-reference.ts';
import type { Menu } from '../schema.ts';
import { statusMessages } from '../screens/payment-offers.ts';
import { screenOf } from '../screens/screen.ts';
import { close, endLost } from '../screens/show.ts';
import { enter, questionOf, withoutAnswer } from '../state/enter.ts';
import type { Effect, EffectResult, LookedUp, LookupAnswer, MenuContext, Step } from '../state/state.ts';
import { dialAlong } from '../state/step.ts';
import { paymentTemplateValues } from '../text/messages.ts';
import { readFields } from './lookup.ts';
import { quoteKey } from './quote.ts';

/** Look-ups that a dialogue remembers, and characters that they take in a turn's row. */
const maxRemembered = 8;
const maxRememberedSize = 16_384;

function remembered(all: readonly LookedUp[]): readonly LookedUp[] {
  const newest = all.slice(-maxRemembered);
  while (newest.length > 1 && JSON.stringify(newest).length > maxRememberedSize) newest.shift();
  return newest;
}

/**
 * The step that a want leads to once something came of it. Pure, and total: what cannot be used is as if nothing had
 * come. Of the same kind as the want.
 */
export function applyEffectResult(menu: Menu, want: Effect, got: EffectResult, context: MenuContext): Step {
  switch (want.kind) {
    case 'lookup':
      return dialAlong(
        menu,
        lookedUp(menu, want, got.kind === 'lookup' ? got.answer : { kind: 'none' }, context),
        context,
      );
    case 'quote': {
      const quote = got.kind === 'quote' ? got.quote : undefined;
      const quoted = quote && { question: quoteKey(want.asked), quote };
      const { effect: _, ...shown } = enter(menu, quoted ? { ...want.at, quoted } : want.at, context);
      return dialAlong(menu, shown, context);
    }
    case 'status': {
      const { at, shortReference } = want;
      const found = got.kind === 'status' ? got.found : undefined;
      if (found)
        return close(menu, at, 'closed', statusMessages[found.state], paymentTemplateValues(found, context));
      const values = { short_reference: showShortReference(shortReference) };
      return close(menu, at, 'closed', 'statusNotFound', values);
    }
    default:
      return unreachable(want);
  }
}

function lookedUp(
  menu: Menu,
  { at }: Extract<Effect, { kind: 'lookup' }>,
  answer: LookupAnswer,
  context: MenuContext,
): Step {
  const screen = screenOf(menu, at.screen);
  if (screen?.kind !== 'lookup') return endLost(menu, at);
  const usable = usableOf(answer, screen.take);
  if (usable === undefined) return withoutAnswer(menu, screen, at, context);
  const { question } = questionOf(screen, at, context);
  const known = remembered([...(at.lookedUp ?? []), { question, answer: usable }]);
  return enter(menu, { ...at, lookedUp: known }, context);
}

function usableOf(
  answer: LookupAnswer,
  take: Parameters<typeof readFields>[0],
): LookedUp['answer'] | undefined {
  if (answer.kind === 'none') return undefined;
  return answer.kind === 'not_found' ? 'not_found' : readFields(take, answer.fields);
}
