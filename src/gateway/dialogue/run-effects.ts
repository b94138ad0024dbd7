import { applyEffectResult } from '../../menu/effects/apply-result.ts';
import { problemOfAnswer } from '../../menu/effects/lookup.ts';
import type {
  Effect,
  EffectResult,
  Intent,
  MenuContext,
  PaymentSummary,
  Quote,
  QuoteRequest,
  Step,
} from '../../menu/state/state.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { unreachable } from '../../shared/errors.ts';
import { type Msisdn, operatorByPrefix } from '../../shared/msisdn.ts';
import { minRecent } from '../collection/store/recent-query.ts';
import { summarizeForMenu } from './dialler-context.ts';
import type { DialogueDeps, Turn } from './types.ts';

type EffectDeps = Pick<
  DialogueDeps,
  'clock' | 'collections' | 'lookup' | 'quotes' | 'health' | 'metrics' | 'settings'
>;

/** Effects with a budget in one turn; more than any menu needs. */
const maxEffects = 4;

/** With less of the channel's time left, an effect is not started. */
const minBudgetMs = 50;

/**
 * Runs the effect of a step, then the effect of the step that follows, until a step has none.
 *
 * Each effect ends within its budget, and all of them by `turn.deadline`; without a result in time the step holds as it
 * is. The duplicate check is a local read and always runs: no confirmation passes without it.
 */
export async function runEffects(
  deps: EffectDeps,
  turn: Turn,
  context: MenuContext,
  first: Step,
): Promise<Step> {
  const { menu } = turn.channel.merchant;
  let step = first;
  for (let count = 0; step.effect; count++) {
    const { effect, preferences: earlier = [] } = step;
    const leftMs = turn.deadline - deps.clock.now();
    const isOptional = effect.kind !== 'duplicate';
    if (isOptional && (count >= maxEffects || leftMs < minBudgetMs)) break;
    const result = await runEffect(deps, turn, effect, leftMs);
    const next = applyEffectResult(menu, effect, result, context);
    const preferences = [...earlier, ...(next.preferences ?? [])];
    step = preferences.length === 0 ? next : { ...next, preferences };
  }
  return step;
}

async function runEffect(
  deps: EffectDeps,
  turn: Turn,
  effect: Effect,
  leftMs: number,
): Promise<EffectResult> {
  const { settings } = deps;
  const { merchant } = turn.channel;
  switch (effect.kind) {
    case 'lookup':
    case 'proxy': {
      const budgetMs = Math.min(leftMs, settings.lookupTimeoutMs);
      const findProblem = (fields: object) => problemOfAnswer(merchant.menu, effect.request.lookup, fields);
      return {
        kind: effect.kind,
        answer: await deps.lookup(merchant.id, { ...effect, problemOf: findProblem }, budgetMs),
      };
    }
    case 'quote': {
      const budgetMs = Math.min(leftMs, settings.quoteTimeoutMs);
      return { kind: 'quote', quote: await quoteOrRefuse(deps, turn, effect.request, budgetMs) };
    }
    case 'status': {
      const { id: merchantId, livemode } = merchant;
      const { shortReference } = effect;
      const row = await deps.collections.findByShortReference({ merchantId, livemode, shortReference });
      const found = row && summarizeForMenu(row, settings);
      deps.metrics.statusAsked(merchantId, found?.state ?? 'not_found');
      return { kind: 'status', found };
    }
    case 'duplicate':
      return { kind: 'duplicate', found: await findDuplicate(deps, turn, effect.intent) };
    default:
      return unreachable(effect);
  }
}

/**
 * Requests a quote, unless the service does not answer: the payer then reads that payment is not possible. One payer in ten
 * seconds is let through all the same, and the quote, or without quotes the payment, shows whether the outage is over.
 */
async function quoteOrRefuse(
  deps: EffectDeps,
  turn: Turn,
  request: QuoteRequest,
  budgetMs: number,
): Promise<Quote | 'rejected' | undefined> {
  const { id } = turn.channel.merchant;
  if (deps.health.isRefusing(id) && !deps.health.tryProbe(id)) return 'rejected';
  if (budgetMs === 0) return undefined;
  const quote = await askQuote(deps, turn, request, budgetMs);
  return quote === undefined && deps.health.isRefusing(id) ? 'rejected' : quote;
}

async function askQuote(
  { quotes, settings }: EffectDeps,
  { channel: { merchant }, request: { dialler }, dialogueId }: Turn,
  { payer, amountMinor, reference, shortReference, operatorHint }: QuoteRequest,
  budgetMs: number,
): Promise<Quote | 'rejected' | undefined> {
  const network = settings.networks[operatorHint ?? operatorByPrefix(payer)];
  if (network === null) return undefined;
  const sentReference = reference ?? shortReference;
  const asked = {
    merchantId: merchant.id,
    livemode: merchant.livemode,
    dialogueId,
    dialler: merchant.attendants.has(dialler) ? null : dialler,
    payer,
    network,
    goodsMinor: amountMinor,
    reference: sentReference,
  };
  const answer = await quotes.ask(asked, budgetMs);
  if (answer === undefined) return quotes.isRejected(asked) ? 'rejected' : undefined;
  const { id, feeMinor, totalMinor } = answer;
  return { id, feeMinor, totalMinor, reference: sentReference };
}

type DuplicateDeps = {
  collections: Pick<DialogueDeps['collections'], 'findDuplicate'>;
  settings: Pick<DialogueDeps['settings'], 'duplicateWindowMs' | 'networks'>;
};

/**
 * Finds the newest payment of the same payer, amount and reference within the duplicate window. The turn's recent
 * collections answer this without a query, unless the payer has so many that the list may be truncated.
 */
export async function findDuplicate(
  { collections, settings }: DuplicateDeps,
  { channel, request: { dialler }, diallerContext, now }: Turn,
  intent: Intent,
): Promise<PaymentSummary | undefined> {
  const { payer, amountMinor: goodsMinor, reference } = intent;
  const recent = await diallerContext.recent();
  const since = now - settings.duplicateWindowMs;
  const known = duplicateIn(recent, { ...intent, dialler }, since);
  const isComplete = recent.filter((one) => one.payer === payer).length < minRecent;
  if (known !== undefined || isComplete) return known;
  const { id: merchantId, livemode } = channel.merchant;
  const key = { merchantId, livemode, payer, dialler, goodsMinor, reference, since };
  const row = await collections.findDuplicate(key);
  return row && summarizeForMenu(row, settings);
}

/**
 * Returns the newest payment of the same payer, amount and reference since then that moved money, or may have. Only a dialler
 * who requested or paid it is asked about it: any other phone learns nothing about a payer's payments, and an unpaid
 * request by another phone does not delay the payer's own payment.
 */
export function duplicateIn(
  recent: readonly PaymentSummary[],
  intent: Intent & { dialler: Msisdn },
  since: EpochMs,
): PaymentSummary | undefined {
  return recent.find(
    (one) =>
      isSamePayment(one, intent) &&
      one.at >= since &&
      // A waiting payment is shown instead of a second one; a failed payment moved no money.
      (one.dialler === intent.dialler
        ? one.state === 'paid' || one.state === 'confirming' || one.state === 'unknown'
        : one.payer === intent.dialler && (one.state === 'paid' || one.state === 'confirming')),
  );
}

/** Returns whether a payment has the payer, the amount and the reference of an intent. */
export function isSamePayment(one: PaymentSummary, { payer, amountMinor, reference }: Intent): boolean {
  return one.payer === payer && one.amountMinor === amountMinor && one.reference === reference;
}
