import type { Answers, Intent, MenuContext, MenuState, Quote, QuoteRequest } from '../state/state.ts';
import { knownOperator, listPlaceholders } from '../text/render.ts';

/** The intent that a confirmation of these answers creates; `undefined` while the amount is not known. */
export function createIntent(answers: Answers, context: MenuContext, quote?: Quote): Intent | undefined {
  const { amountMinor, payer = context.dialler, reference } = answers;
  if (amountMinor === undefined) return undefined;
  const operatorHint = knownOperator(answers, context);
  return {
    payer,
    amountMinor,
    reference,
    shortReference: context.shortReference(),
    ...(operatorHint === undefined ? {} : { operatorHint }),
    ...(quote === undefined ? {} : { quote }),
  };
}

/** Identifies a quote request: equal for requests that one quote answers. */
export function quoteKey({ payer, amountMinor, reference, operatorHint }: QuoteRequest): string {
  return JSON.stringify([payer, amountMinor, reference, operatorHint]);
}

/** The quote for the current answers, when the dialogue has one. */
export function quoteFor(
  { answers, quoted }: Pick<MenuState, 'answers' | 'quoted'>,
  context: MenuContext,
): Quote | undefined {
  const request = quoted && createIntent(answers, context);
  return request && quoteKey(request) === quoted.key ? quoted.quote : undefined;
}

/** True for a text that shows the fee or the total. */
export function mentionsFee(text: string): boolean {
  return listPlaceholders(text).some((name) => name === 'fee' || name === 'total');
}
