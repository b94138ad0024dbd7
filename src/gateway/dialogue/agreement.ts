import type { Intent, Step } from '../../menu/state/state.ts';
import { waitingText } from '../../menu/text/messages.ts';
import type { EpochMs } from '../../shared/clock.ts';
import type { AmountMinor } from '../../shared/money.ts';
import { type Msisdn, type Operator, operatorByPrefix } from '../../shared/msisdn.ts';
import type { CollectionRow } from '../collection/collection.ts';
import type { Rejection } from '../collection/opening/rejection.ts';
import { summarizePayment } from '../collection/payment-summary.ts';
import type { CollectionStore } from '../collection/store/collection-store.ts';
import type { DiallerContext } from './caller-history.ts';
import type { Channel, Turn } from './dialogue.ts';
import {
  type PrepareDeps,
  type PreparedCollection,
  type PrepareSettings,
  prepareCollection,
  refuse,
} from './prepare-collection.ts';
import type { SessionHistory } from './turn-store.ts';

export type AgreeDeps = PrepareDeps & {
  collections: Pick<CollectionStore, 'findRejection' | 'findOpen'>;
  settings: PrepareSettings & { approvals: Readonly<Record<Operator, string>> };
};

/** What came of a yes: the last screen, and the collection that it opened or showed. */
export type Agreed = { step: Step; collectionId?: string; opened?: PreparedCollection; refusal?: Rejection };

/** Opens the collection that the payer agreed to, or shows the one that is open already, or says why not. */
export async function agree(
  deps: AgreeDeps,
  turn: Turn,
  dialogueId: string,
  taken: Step,
  intent: Intent,
): Promise<Agreed> {
  const { channel, request, history, diallerContext: around, now, previousAttempt: refused } = turn;
  const refusing = (refusal: Rejection): Agreed => ({
    step: refuse(channel, taken, intent, refusal),
    refusal,
  });
  if (refused.reason !== undefined && refused.reason !== 'open') return refusing(refused.reason);
  const waiting = refused.open ?? openFor(intent.payer, history, around);
  if (waiting) {
    // Whoever has no part in it learns nothing of somebody else's payment.
    const hasPart = [waiting.payer, waiting.dialler].includes(request.dialler);
    if (!hasPart) return refusing('open');
    return {
      step: showWaiting(deps, channel, taken, waiting),
      collectionId: waiting.id,
      refusal: 'open',
    };
  }
  if (isOvertaken(intent, history, around)) return refusing('retry');
  const opened = await prepareCollection(deps, deps.settings, channel, request, dialogueId, intent, now);
  return { step: taken, collectionId: opened.intent.id, opened };
}

/**
 * Whether the same payment was opened after the screen was drawn that this yes answers, and is over already: the yes may
 * be one that was late, of a session that its payer has left behind.
 */
function isOvertaken(
  { payer, amountMinor, reference }: Intent,
  { last }: SessionHistory,
  { recent }: DiallerContext,
) {
  return recent.some(
    (one) =>
      one.payer === payer &&
      one.amountMinor === amountMinor &&
      one.reference === reference &&
      last !== undefined &&
      one.at > last.at,
  );
}

type Waiting = { id: string; amountMinor: AmountMinor; chargeMinor: number; payer: Msisdn; dialler: Msisdn };

/** The collection of a payer that is open, and not given up on. */
function openFor(payer: Msisdn, { open }: SessionHistory, { recent }: DiallerContext): Waiting | undefined {
  if (open?.payer === payer) return waitingOf(open);
  return recent.find((one) => one.payer === payer && one.state === 'waiting');
}

function waitingOf(row: CollectionRow): Waiting {
  const { id, amountMinor, chargeMinor, payer, dialler } = summarizePayment(row);
  return { id, amountMinor, chargeMinor, payer, dialler };
}

function showWaiting(deps: AgreeDeps, channel: Channel, taken: Step, waiting: Waiting): Step {
  const { menu, name } = channel.merchant;
  const text = waitingText(menu, taken.state.language, {
    amountMinor: waiting.amountMinor,
    chargeMinor: waiting.chargeMinor,
    merchant: name,
    approvals: deps.settings.approvals[operatorByPrefix(waiting.payer)],
  });
  return { state: taken.state, reply: { kind: 'end', text } };
}

/** Why the last try was refused, and how many short references had other owners. */
export type PreviousAttempt = { reason?: Rejection; references: number; open?: Waiting };

/** Reads why a collection was not opened, so that the next try can say so. */
export async function whyRefused(
  { collections }: AgreeDeps,
  opened: PreparedCollection | undefined,
  { references }: PreviousAttempt,
  now: EpochMs,
): Promise<PreviousAttempt> {
  if (!opened) return { references };
  const { intent: opening, limits } = opened;
  const reason = await collections.findRejection(opening, limits, now);
  if (reason === 'reference') return { references: references + 1 };
  if (reason !== 'open') return { references, ...(reason === undefined ? {} : { reason }) };
  const row = await collections.findOpen(opening);
  return { references, reason, ...(row && { open: waitingOf(row) }) };
}
