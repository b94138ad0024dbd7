import { applyEffectResult } from '../../menu/effects/apply-result.ts';
import type {
  Effect,
  EffectResult,
  LookupAnswer,
  MenuContext,
  QuoteRequest,
  Step,
} from '../../menu/state/state.ts';
import type { Clock, EpochMs } from '../../shared/clock.ts';
import { unreachable } from '../../shared/errors.ts';
import { type Operator, operatorByPrefix } from '../../shared/msisdn.ts';
import { type PaymentSummary, summarizePayment } from '../collection/payment-summary.ts';
import type { Quotes } from '../collection/quote/quote.ts';
import type { AnsweredQuote } from '../collection/quote/quote-cache.ts';
import type { CollectionStore } from '../collection/store/collection-store.ts';
import type { Channel } from './dialogue.ts';

export type EffectDeps = {
  clock: Clock;
  collections: Pick<CollectionStore, 'findByShortReference'>;
  /** Asks a merchant's own system; resolves within the budget, and never rejects. */
  lookup(
    merchantId: string,
    want: Extract<Effect, { kind: 'lookup' }>,
    budgetMs: number,
  ): Promise<LookupAnswer>;
  quotes: Pick<Quotes, 'ask'>;
  metrics: { statusAsked(merchantId: string, state: PaymentSummary['state'] | 'not_found'): void };
};

export type EffectSettings = {
  lookupTimeoutMs: number;
  /** 0: nobody is asked. */
  quoteTimeoutMs: number;
  networks: Readonly<Record<Operator, string>>;
};

/** More than any turn needs: each may take its budget. */
const maxEffects = 4;

/** With less of the channel's time left, nobody could answer: nobody is asked. */
const minBudgetMs = 50;

/**
 * Fetches what a step wants, and takes the step that it leads to. The only waits of a turn but its own database's: each
 * ends within its budget, and all of them by `until`; what did not come in time is left out.
 */
export async function runEffects(
  deps: EffectDeps,
  settings: EffectSettings,
  channel: Channel,
  dialogueId: string,
  taken: Step,
  context: MenuContext,
  until: EpochMs,
): Promise<Step> {
  let step = taken;
  for (let count = 0; count < maxEffects && step.effect; count++) {
    const left = until - deps.clock.now();
    if (left < minBudgetMs) break;
    const got = await runEffect(deps, settings, channel, dialogueId, step.effect, context, left);
    const settled = applyEffectResult(channel.merchant.menu, step.effect, got, context);
    const notes = [...(step.preferences ?? []), ...(settled.preferences ?? [])];
    step = notes.length === 0 ? settled : { ...settled, preferences: notes };
  }
  return step;
}

async function runEffect(
  deps: EffectDeps,
  settings: EffectSettings,
  channel: Channel,
  dialogueId: string,
  want: Effect,
  context: MenuContext,
  leftMs: number,
): Promise<EffectResult> {
  const { merchant } = channel;
  switch (want.kind) {
    case 'lookup': {
      const budgetMs = Math.min(leftMs, settings.lookupTimeoutMs);
      return { kind: 'lookup', answer: await deps.lookup(merchant.id, want, budgetMs) };
    }
    case 'quote': {
      const budgetMs = Math.min(leftMs, settings.quoteTimeoutMs);
      const answered =
        budgetMs === 0
          ? undefined
          : await askQuote(deps, settings, channel, dialogueId, want.asked, context, budgetMs);
      return { kind: 'quote', quote: answered && quoteOf(answered, want.asked) };
    }
    case 'status': {
      const { id: merchantId, livemode } = merchant;
      const { shortReference } = want;
      const row = await deps.collections.findByShortReference({ merchantId, livemode, shortReference });
      const found = row && summarizePayment(row);
      deps.metrics.statusAsked(merchantId, found?.state ?? 'not_found');
      return { kind: 'status', found };
    }
    default:
      return unreachable(want);
  }
}

function askQuote(
  { quotes }: EffectDeps,
  { networks }: EffectSettings,
  { merchant }: Channel,
  dialogueId: string,
  { payer, amountMinor, reference, shortReference, operatorHint }: QuoteRequest,
  { dialler, isAttendant }: MenuContext,
  budgetMs: number,
): Promise<AnsweredQuote | undefined> {
  const request = {
    merchantId: merchant.id,
    livemode: merchant.livemode,
    dialogueId,
    dialler: isAttendant ? null : dialler,
    payer,
    network: networks[operatorHint ?? operatorByPrefix(payer)],
    goodsMinor: amountMinor,
    reference: reference ?? shortReference,
  };
  return quotes.ask(request, budgetMs);
}

function quoteOf({ id, feeMinor, totalMinor }: AnsweredQuote, asked: QuoteRequest) {
  return { id, feeMinor, totalMinor, reference: asked.reference ?? asked.shortReference };
}
