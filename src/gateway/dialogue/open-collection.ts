import { hash } from 'node:crypto';
import {
  endStates,
  type Intent,
  type PaymentSummary,
  type RejectionMessage,
  type Step,
} from '../../menu/state/state.ts';
import { alreadyWaitingText, rejectionText, sessionLostText } from '../../menu/text/messages.ts';
import { type Msisdn, type Operator, operatorByPrefix } from '../../shared/msisdn.ts';
import { createShortReference } from '../../shared/short-reference.ts';
import type { Write } from '../../sqlite/store.ts';
import { toAnswers } from '../collection/answers.ts';
import type { CollectionIntent, RequestedBy } from '../collection/collection.ts';
import type { Limits, Rejection } from '../collection/opening/limits.ts';
import { prepareIntent } from '../collection/opening/prepare-intent.ts';
import { summarizeForMenu } from './dialler-context.ts';
import { isSamePayment } from './run-effects.ts';
import type { DialogueDeps, PreviousAttempt, Turn } from './types.ts';

/** The payer's operator, and the service's code of its network; null when the service does not offer it. */
type PayerNetwork = { operator: Operator; network: string | null };

/** Returns the payer's network, as the aggregator, the payer or the prefix of the number names it. */
function getPayerNetwork(
  { networks }: Pick<DialogueDeps['settings'], 'networks'>,
  { request: { dialler, operator } }: Turn,
  { payer, operatorHint }: Pick<Intent, 'payer' | 'operatorHint'>,
): PayerNetwork {
  const known = operatorHint ?? (payer === dialler ? operator : 'unknown');
  const payerOperator = known === 'unknown' ? operatorByPrefix(payer) : known;
  return { operator: payerOperator, network: networks[payerOperator] };
}

/** A collection intent, its limits, and the guarded writes that open it. */
export type PreparedCollection = { intent: CollectionIntent; limits: Limits; writes: Write[] };

/** Prepares the collection that a payer confirmed. It collects the total that the screen named, or nothing. */
async function prepareCollection(
  { ids, quotes, settings, notifyOpened, collections }: OpenDeps,
  { channel, request: { dialler }, dialogueId, now }: Turn,
  { intent, operator, network }: { intent: Intent; operator: Operator; network: string },
): Promise<PreparedCollection> {
  const { merchant, promptDelayMs } = channel;
  const { payer, quote } = intent;
  const create = quote && (await quotes.find(quote.id));
  const repeated = intent.retryOf === undefined ? undefined : await collections.find(intent.retryOf);
  const { limits } = settings;
  const { row, writes } = prepareIntent(ids, {
    merchantId: merchant.id,
    livemode: merchant.livemode,
    channel: channel.id,
    dialogueId,
    dialler,
    payer,
    requestedBy: getRequestedBy(merchant, dialler, payer),
    network,
    goodsMinor: intent.amountMinor,
    reference: intent.reference ?? quote?.reference,
    shortReference: intent.shortReference,
    answers: intent.answers ?? (repeated ? toAnswers(repeated, 'whole') : []),
    retryOf: intent.retryOf ?? null,
    shownTotalMinor: quote?.totalMinor ?? intent.shownTotalMinor ?? null,
    ...(create && { create }),
    limits,
    now,
    promptDelayMs: promptDelayMs[operator],
    promptDeadlineMs: settings.promptDeadlineMs,
    home: settings.home,
  });
  return { intent: row, limits, writes: [...writes, ...(notifyOpened?.(row) ?? [])] };
}

/** Returns whose phone requests a payment. */
export function getRequestedBy(
  { attendants }: Turn['channel']['merchant'],
  dialler: Msisdn,
  payer: Msisdn,
): RequestedBy {
  if (payer === dialler) return 'payer';
  return attendants.has(dialler) ? 'attendant' : 'other';
}

/**
 * The short reference of the collection that a dialogue may open: the same on each screen and in each process, and not
 * predictable from anything that a payer sees. `takenReferences` counts earlier candidates that were in use.
 */
export function getShortReference(dialogueId: string, takenReferences: number): string {
  const digest = hash('sha256', `${dialogueId} ${takenReferences}`, 'buffer');
  return createShortReference({
    digits: (count) => String(digest.readUIntBE(0, 6) % 10 ** count).padStart(count, '0'),
  });
}

type OpenDeps = Pick<
  DialogueDeps,
  'collections' | 'ids' | 'quotes' | 'health' | 'settings' | 'clock' | 'notifyOpened'
>;

/** The outcome of a confirmation: the last screen, and the collection that it opened or showed. */
type Confirmed = {
  step: Step;
  collectionId?: string;
  collection?: PreparedCollection;
  rejection?: Rejection;
};

/** Prepares the collection that a confirmation opens, or shows the payer's open collection or the rejection. */
export async function openCollection(
  deps: OpenDeps,
  turn: Turn,
  step: Step,
  intent: Intent,
): Promise<Confirmed> {
  const { request, previousAttempt } = turn;
  const reject = (rejection: Rejection): Confirmed => ({
    step: rejectionStep(turn, step, intent, rejection),
    rejection,
  });
  const { rejection } = previousAttempt;
  if (rejection !== undefined && rejection !== 'open') return reject(rejection);
  const recent = await turn.diallerContext.recent();
  const open = previousAttempt.open ?? findOpenCollection(intent.payer, turn, recent);
  if (open) {
    return { step: alreadyWaitingStep(deps, turn, step, open), collectionId: open.id, rejection: 'open' };
  }
  // The open collection is not the dialler's, who therefore sees nothing of it.
  if (rejection === 'open' && intent.payer !== request.dialler) return reject('open');
  if (isOutdated(intent, turn, recent)) return reject('retry');
  const { operator, network } = getPayerNetwork(deps.settings, turn, intent);
  // A retry, or a screen from before the configuration changed.
  if (network === null) return { step: endStep(turn, step, intent, 'networkNotOffered') };
  // A retry has no confirm screen, which would have refused it. Its own screen was shown before the outage.
  const { id } = turn.channel.merchant;
  if (intent.retryOf !== undefined && deps.health.isRefusing(id) && !deps.health.tryProbe(id))
    return { step: endStep(turn, step, intent, 'paymentNotPossible') };
  const collection = await prepareCollection(deps, turn, { intent, operator, network });
  return { step, collectionId: collection.intent.id, collection };
}

/** Reads why the database rejected a prepared collection, so that the next attempt can show the reason. */
export async function loadPreviousAttempt(
  { collections, clock, settings }: OpenDeps,
  collection: PreparedCollection | undefined,
  { takenReferences }: PreviousAttempt,
): Promise<PreviousAttempt> {
  if (!collection) return { takenReferences };
  const { intent, limits } = collection;
  const rejection = await collections.findRejection(intent, limits, clock.now());
  if (rejection === undefined) return { takenReferences };
  if (rejection === 'reference') return { takenReferences: takenReferences + 1 };
  const row = rejection === 'open' ? await collections.findOpen(intent) : undefined;
  return { takenReferences, rejection, ...(row && { open: summarizeForMenu(row, settings) }) };
}

/**
 * True when the dialler opened the same payment after the confirmed screen was shown, and it is final. The confirmation
 * may then be a late request of a session that the dialler has left.
 */
function isOutdated(
  intent: Intent,
  { request: { dialler }, history: { last } }: Turn,
  recent: readonly PaymentSummary[],
): boolean {
  const isRepeated = (one: PaymentSummary) => one.dialler === dialler && isSamePayment(one, intent);
  return last !== undefined && recent.some((one) => isRepeated(one) && one.at > last.at);
}

/**
 * The dialler's collection from this payer that is open and has not lapsed. An older one than the turn has read is found
 * when it rejects the new collection.
 */
function findOpenCollection(
  payer: Msisdn,
  { request: { dialler } }: Turn,
  recent: readonly PaymentSummary[],
): PaymentSummary | undefined {
  return recent.find((one) => one.payer === payer && one.dialler === dialler && one.state === 'waiting');
}

function alreadyWaitingStep(
  { settings }: Pick<OpenDeps, 'settings'>,
  turn: Turn,
  { state }: Step,
  { amountMinor, chargeMinor, payer, operator: known }: PaymentSummary,
): Step {
  const { menu, name } = turn.channel.merchant;
  const { operator } = getPayerNetwork(settings, turn, { payer, ...(known && { operatorHint: known }) });
  const text = alreadyWaitingText(menu, state.language, {
    amountMinor,
    chargeMinor,
    merchant: name,
    approvals: settings.approvals[operator],
  });
  return { state, reply: { kind: 'end', text } };
}

/** The message about a payment from the dialler's own number. */
const ownMessages: Readonly<Partial<Record<Rejection, RejectionMessage>>> = {
  dialler_blocked: 'paymentNotPossible',
  dialler_limit: 'rejectedTooMany',
  payer_limit: 'rejectedTooMany',
  merchant_limit: 'rejectedTooMany',
};

/**
 * The message about a request to another number. Every reason that lies with the payer has the same message: it must not
 * reveal whether the payer is paying, was asked by others, declined, or blocks requests.
 */
const requestMessages: Readonly<Partial<Record<Rejection, RejectionMessage>>> = {
  dialler_blocked: 'paymentNotPossible',
  open: 'rejectedPayer',
  opted_out: 'rejectedPayer',
  payer_blocked: 'rejectedPayer',
  payer_cool_down: 'rejectedPayer',
  payer_limit: 'rejectedPayer',
  dialler_cool_down: 'rejectedCoolDown',
  dialler_limit: 'rejectedTooMany',
  merchant_limit: 'rejectedTooMany',
};

/** Returns the message for a rejection; `undefined` when the payer can only dial again. */
export function findRejectionMessage(
  { request: { dialler } }: Turn,
  { payer }: Pick<Intent, 'payer'>,
  rejection: Rejection,
): RejectionMessage | undefined {
  return (payer === dialler ? ownMessages : requestMessages)[rejection];
}

/** The last screen after a rejection. No prompt is sent. */
function rejectionStep(turn: Turn, step: Step, intent: Intent, rejection: Rejection): Step {
  return endStep(turn, step, intent, findRejectionMessage(turn, intent, rejection));
}

/** The last screen with a message; without one, it asks the payer to dial again. */
function endStep(
  { channel: { merchant } }: Turn,
  { state }: Step,
  { payer }: Intent,
  name: RejectionMessage | undefined,
): Step {
  const { menu, name: merchantName } = merchant;
  const text = name
    ? rejectionText(menu, state.language, name, { merchant: merchantName, payer })
    : sessionLostText(menu, state.language);
  return { state: { ...state, screen: endStates.rejected }, reply: { kind: 'end', text } };
}
