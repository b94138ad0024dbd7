import type { Intent, Step } from '../../menu/state/state.ts';
import { endStates } from '../../menu/state/state.ts';
import {
  alreadyWaitingText,
  type RejectionMessage,
  rejectionText,
  sessionLostText,
} from '../../menu/text/messages.ts';
import { type Msisdn, operatorByPrefix } from '../../shared/msisdn.ts';
import type { CollectionRow } from '../collection/collection.ts';
import type { Rejection } from '../collection/opening/rejection.ts';
import { summarizePayment } from '../collection/payment-summary.ts';
import { isSamePayment } from './duplicate.ts';
import { type PreparedCollection, prepareCollection } from './prepare-collection.ts';
import type { Channel, DialogueDeps, OpenCollection, PreviousAttempt, Turn } from './types.ts';

type OpenDeps = Pick<DialogueDeps, 'collections' | 'ids' | 'quotes' | 'settings' | 'clock'>;

/** The outcome of a confirmation: the last screen, and the collection that it opened or showed. */
export type Confirmed = {
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
  const { channel, request, previousAttempt } = turn;
  const reject = (rejection: Rejection): Confirmed => ({
    step: rejectionStep(channel, step, intent, rejection),
    rejection,
  });
  const { rejection } = previousAttempt;
  if (rejection !== undefined && rejection !== 'open') return reject(rejection);
  const open = previousAttempt.open ?? openCollectionOf(intent.payer, turn);
  if (open) {
    // A dialler without a part in that payment sees nothing of it.
    const hasPart = [open.payer, open.dialler].includes(request.dialler);
    if (!hasPart) return reject('open');
    return { step: alreadyWaitingStep(deps, channel, step, open), collectionId: open.id, rejection: 'open' };
  }
  if (isOutdated(intent, turn)) return reject('retry');
  const collection = await prepareCollection(deps, turn, intent);
  return { step, collectionId: collection.intent.id, collection };
}

/** Reads why the database rejected a prepared collection, so that the next attempt can show the reason. */
export async function loadPreviousAttempt(
  { collections, clock }: OpenDeps,
  collection: PreparedCollection | undefined,
  { takenReferences }: PreviousAttempt,
): Promise<PreviousAttempt> {
  if (!collection) return { takenReferences };
  const { intent, limits } = collection;
  const rejection = await collections.findRejection(intent, limits, clock.now());
  if (rejection === undefined) return { takenReferences };
  if (rejection === 'reference') return { takenReferences: takenReferences + 1 };
  const row = rejection === 'open' ? await collections.findOpen(intent) : undefined;
  return { takenReferences, rejection, ...(row && { open: summarize(row) }) };
}

/**
 * True when the same payment was opened after the confirmed screen was shown, and is final. The confirmation may then be
 * a late request of a session that its payer has left.
 */
function isOutdated(intent: Intent, { history: { last }, diallerContext: { recent } }: Turn): boolean {
  return last !== undefined && recent.some((one) => isSamePayment(one, intent) && one.at > last.at);
}

/** The payer's collection that is open and has not lapsed. */
function openCollectionOf(
  payer: Msisdn,
  { history: { open }, diallerContext: { recent } }: Turn,
): OpenCollection | undefined {
  if (open?.payer === payer) return summarize(open);
  return recent.find((one) => one.payer === payer && one.state === 'waiting');
}

function summarize(row: CollectionRow): OpenCollection {
  const { id, amountMinor, chargeMinor, payer, dialler } = summarizePayment(row);
  return { id, amountMinor, chargeMinor, payer, dialler };
}

function alreadyWaitingStep(
  { settings }: Pick<OpenDeps, 'settings'>,
  { merchant: { menu, name } }: Channel,
  { state }: Step,
  { amountMinor, chargeMinor, payer }: OpenCollection,
): Step {
  const text = alreadyWaitingText(menu, state.language, {
    amountMinor,
    chargeMinor,
    merchant: name,
    approvals: settings.approvals[operatorByPrefix(payer)],
  });
  return { state, reply: { kind: 'end', text } };
}

const rejectionMessages: Readonly<Partial<Record<Rejection, RejectionMessage>>> = {
  // The open collection is another person's payment: the payer learns nothing about it.
  open: 'rejectedTooMany',
  opted_out: 'rejectedBlocked',
  cool_down: 'rejectedCoolDown',
  dialler_limit: 'rejectedTooMany',
  payer_limit: 'rejectedTooMany',
  merchant_limit: 'rejectedTooMany',
};

/** The last screen after a rejection. No prompt is sent. */
function rejectionStep(
  { merchant }: Channel,
  { state }: Step,
  { payer }: Intent,
  rejection: Rejection,
): Step {
  const { menu, name: merchantName } = merchant;
  const name = rejectionMessages[rejection];
  const text = name
    ? rejectionText(menu, state.language, name, { merchant: merchantName, payer })
    : sessionLostText(menu, state.language);
  return { state: { ...state, screen: endStates.rejected }, reply: { kind: 'end', text } };
}
