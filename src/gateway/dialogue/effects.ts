import { settle } from '../../menu/effects/apply-result.ts';
import type { Got, LookUpAnswer, MenuContext, QuoteRequest, Step, Want } from '../../menu/state/state.ts';
import type { Clock, EpochMs } from '../../shared/clock.ts';
import { unreachable } from '../../shared/errors.ts';
import { type Operator, operatorByPrefix } from '../../shared/msisdn.ts';
import type { CollectionStore } from '../collection/collection-store.ts';
import { type Standing, standingOf } from '../collection/payment-summary.ts';
import type { AnsweredQuote, Quotes } from '../collection/quote/quote.ts';
import type { Channel } from './dialogue.ts';

export type WantDeps = {
  clock: Clock;
  collections: Pick<CollectionStore, 'findByShortReference'>;
  /** Asks a merchant's own system; resolves within the budget, and never rejects. */
  lookUp(
    merchantId: string,
    want: Extract<Want, { kind: 'lookup' }>,
    budgetMs: number,
  ): Promise<LookUpAnswer>;
  quotes: Pick<Quotes, 'ask'>;
  metrics: { statusAsked(merchantId: string, state: Standing['state'] | 'not_found'): void };
};

export type WantSettings = {
  lookUpMs: number;
  /** 0: nobody is asked. */
  quoteMs: number;
  networks: Readonly<Record<Operator, string>>;
};

/** More than any turn needs: each may take its budget. */
const mostWants = 4;

/** With less of the channel's time left, nobody could answer: nobody is asked. */
const shortestBudgetMs = 50;

/**
 * Fetches what a step wants, and takes the step that it leads to. The only waits of a turn but its own database's: each
 * ends within its budget, and all of them by `until`; what did not come in time is left out.
 */
export async function fulfil(
  deps: WantDeps,
  settings: WantSettings,
  channel: Channel,
  dialogueId: string,
  taken: Step,
  context: MenuContext,
  until: EpochMs,
): Promise<Step> {
  let step = taken;
  for (let count = 0; count < mostWants && step.want; count++) {
    const left = until - deps.clock.now();
    if (left < shortestBudgetMs) break;
    const got = await fetchWant(deps, settings, channel, dialogueId, step.want, context, left);
    const settled = settle(channel.merchant.menu, step.want, got, context);
    const notes = [...(step.notes ?? []), ...(settled.notes ?? [])];
    step = notes.length === 0 ? settled : { ...settled, notes };
  }
  return step;
}

async function fetchWant(
  deps: WantDeps,
  settings: WantSettings,
  channel: Channel,
  dialogueId: string,
  want: Want,
  context: MenuContext,
  leftMs: number,
): Promise<Got> {
  const { merchant } = channel;
  switch (want.kind) {
    case 'lookup': {
      const budgetMs = Math.min(leftMs, settings.lookUpMs);
      return { kind: 'lookup', answer: await deps.lookUp(merchant.id, want, budgetMs) };
    }
    case 'quote': {
      const budgetMs = Math.min(leftMs, settings.quoteMs);
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
      const found = row && standingOf(row);
      deps.metrics.statusAsked(merchantId, found?.state ?? 'not_found');
      return { kind: 'status', found };
    }
    default:
      return unreachable(want);
  }
}

function askQuote(
  { quotes }: WantDeps,
  { networks }: WantSettings,
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
