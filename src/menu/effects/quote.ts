import type { Answers, Intent, MenuContext, MenuState, Quote, QuoteRequest } from '../state/state.ts';
import { knownOperator, placeholdersOf } from '../text/render.ts';

/** What the payer would agree to, as the answers are; `undefined` while no amount is known. */
export function intentOf(answers: Answers, context: MenuContext, quote?: Quote): Intent | undefined {
  const { amountMinor, payer = context.dialler, reference } = answers;
  if (amountMinor === undefined) return undefined;
  const hint = knownOperator(answers, context);
  return {
    payer,
    amountMinor,
    reference,
    shortReference: context.shortReference,
    ...(hint === undefined ? {} : { operatorHint: hint }),
    ...(quote === undefined ? {} : { quote }),
  };
}

/** Equal exactly for requests that one quote answers. */
export function quoteKey({ payer, amountMinor, reference, operatorHint }: QuoteRequest): string {
  return JSON.stringify([payer, amountMinor, reference, operatorHint]);
}

/** The quote that a dialogue has for its answers as they are now. */
export function quoteFor(
  { answers, quoted }: Pick<MenuState, 'answers' | 'quoted'>,
  context: MenuContext,
): Quote | undefined {
  const asked = quoted && intentOf(answers, context);
  return asked && quoteKey(asked) === quoted.question ? quoted.quote : undefined;
}

/** Whether a text would say what the service takes. */
export function mentionsFee(text: string): boolean {
  return placeholdersOf(text).some((name) => name === 'fee' || name === 'total');
}
