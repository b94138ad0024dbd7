import { retryIntent } from '../../menu/screens/built-in.ts';
import { canRepeat } from '../../menu/screens/draw.ts';
import type { MenuContext, PaymentSummary, Step } from '../../menu/state/state.ts';
import { step as nextStep, startDialogue } from '../../menu/state/step.ts';
import { localTimeAt } from '../../shared/time-text.ts';
import type { UssdRequest } from '../../shared/ussd.ts';
import type { Write } from '../../sqlite/store.ts';
import type { Rejection } from '../collection/opening/limits.ts';
import { findPosition, type RequestKind } from './classify-request.ts';
import { getCallerHistory } from './dialler-context.ts';
import { preferenceWrites } from './dialler-store.ts';
import {
  findRejectionMessage,
  getRequestedBy,
  getShortReference,
  openCollection,
  type PreparedCollection,
} from './open-collection.ts';
import { runEffects } from './run-effects.ts';
import { storeState } from './stored-state.ts';
import type { TurnRow } from './turn-store.ts';
import type { Channel, DialogueDeps, Turn } from './types.ts';

/** The outcome of a turn, before it is written. */
export type TakenTurn = {
  row: TurnRow;
  /** The name of the menu's screen after the turn. */
  menuScreen: string;
  /** The writes of the same batch: changed preferences, and the collection. */
  writes: Write[];
  collection?: PreparedCollection | undefined;
  rejection?: Rejection | undefined;
};

/**
 * Takes one step of the menu, runs its effects, and prepares the collection that a confirmation opens.
 *
 * @returns `unread` for a step with an effect after a turn that may be stale. Nothing was asked.
 */
export async function takeTurn(deps: DialogueDeps, turn: Turn): Promise<TakenTurn | 'unread'> {
  const context = getMenuContext(turn, deps);
  const first = await firstStep(deps, turn, context);
  if (first.effect && turn.mayBeStale) return 'unread';
  const step = await runEffects(deps, turn, context, first);
  const outcome = step.intent ? await openCollection(deps, turn, step, step.intent) : { step };
  const { step: shown, collectionId, collection, rejection } = outcome;
  return {
    row: turnRow(deps, turn, shown, collectionId),
    menuScreen: shown.state.screen,
    writes: [...settingWrites(turn, step), ...(collection?.writes ?? [])],
    collection,
    rejection,
  };
}

/** A request without a number of its own identifies no repeat, even on a sequenced channel. */
export function isSequenced({ sequenced }: Channel, { entry, mark }: UssdRequest): boolean {
  return sequenced && (entry.kind === 'cumulative' || mark !== undefined);
}

function getMenuContext(
  { channel, request, dialogueId, diallerContext, now, previousAttempt }: Turn,
  { health, settings: { approvals, networks } }: DialogueDeps,
): MenuContext {
  const { merchant, style } = channel;
  // Few turns need it.
  let reference: string | undefined;
  const shortReference = () => {
    reference ??= getShortReference(dialogueId, previousAttempt.takenReferences);
    return reference;
  };
  return {
    merchant: merchant.name,
    dialler: request.dialler,
    operator: request.operator,
    sequenced: isSequenced(channel, request),
    limit: style.limit,
    alphabet: style.alphabet,
    lineBreak: style.lineBreak,
    now,
    localTime: localTimeAt(now, merchant.timeZone),
    shortReference,
    isAttendant: merchant.attendants.has(request.dialler),
    blocksRequests: diallerContext.setting.blocksRequests,
    ...(health.isWarning(merchant.id) && { isServiceUnavailable: true }),
    networks,
    approvals,
  };
}

async function firstStep(deps: DialogueDeps, turn: Turn, context: MenuContext): Promise<Step> {
  const { channel, requestKind, state } = turn;
  const { menu } = channel.merchant;
  if (requestKind.kind === 'advance' && state) return nextStep(menu, state, requestKind.input, context);
  const { payment: recent, ...rest } = getCallerHistory(turn, deps.settings);
  const payment = recent && (await withRetryRejection(deps, turn, recent, context));
  return startDialogue(menu, { ...rest, ...(payment && { payment }) }, context);
}

function turnRow(
  { clock }: DialogueDeps,
  { channel, request, dialogueId, requestKind, history: { last } }: Turn,
  step: Step,
  collectionId: string | undefined,
): TurnRow {
  const { merchant } = channel;
  return {
    channel: channel.id,
    session: request.session,
    sequence: (last?.sequence ?? 0) + 1,
    dialogueId,
    merchantId: merchant.id,
    dialler: request.dialler,
    operator: request.operator,
    input: turnInput(requestKind, request),
    position: findPosition(request),
    payer: step.state.answers.payer ?? null,
    ussdRef: request.ussdRef ?? null,
    ending: null,
    state: storeState(step, merchant.menu),
    reply: step.reply.kind,
    screen: step.reply.text,
    collectionId: collectionId ?? null,
    // After the effects: the repeat window starts when the payer could see the screen.
    at: Math.max(clock.now(), last?.at ?? 0),
  };
}

function settingWrites({ channel, request, now }: Turn, { preferences = [] }: Step): Write[] {
  const { id: merchantId, livemode } = channel.merchant;
  const key = { merchantId, livemode, msisdn: request.dialler };
  return preferences.flatMap((change) => preferenceWrites(key, change, now));
}

function turnInput(requestKind: RequestKind, { entry }: UssdRequest): string | null {
  if (requestKind.kind === 'advance') return requestKind.input;
  // As it arrived, so that it identifies a repeat.
  if (entry.kind === 'typed') return entry.input;
  return requestKind.kind === 'start' && requestKind.suffix.length > 0 ? requestKind.suffix.join('*') : null;
}

/**
 * Returns the payment with the reason why its repetition would be rejected now: an outage, or a guard of the insert. Only a payment
 * that may be repeated costs a query.
 *
 * An open collection of the payer is no reason here: only a phone that requests a payment, and is counted for it, may read from
 * the answer whether another phone is paying at the moment.
 */
async function withRetryRejection(
  { collections, health, settings, clock }: DialogueDeps,
  turn: Turn,
  payment: PaymentSummary,
  context: MenuContext,
): Promise<PaymentSummary> {
  if (!canRepeat(payment, context)) return payment;
  const { merchant } = turn.channel;
  const { id: merchantId, livemode } = merchant;
  if (health.isRefusing(merchantId)) return { ...payment, retryRejection: 'paymentNotPossible' };
  const { dialler } = turn.request;
  const { payer, amountMinor: goodsMinor, shortReference, retryOf = null } = retryIntent(payment, context);
  const requestedBy = getRequestedBy(merchant, dialler, payer);
  const key = { merchantId, livemode, dialler, payer, requestedBy, retryOf, goodsMinor, shortReference };
  const rejection = await collections.findRejection(key, settings.limits, clock.now());
  if (rejection === undefined || rejection === 'open' || rejection === 'reference') return payment;
  const retryRejection = findRejectionMessage(turn, payment, rejection);
  return { ...payment, ...(retryRejection ? { retryRejection } : { isRetryExcluded: true }) };
}
