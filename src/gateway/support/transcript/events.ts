import { statusMessages } from '../../../menu/screens/draw.ts';
import type { PaymentSummary } from '../../../menu/state/state.ts';
import { defaultMessages } from '../../../menu/text/default-messages.ts';
import type { EpochMs } from '../../../shared/clock.ts';
import { countedId } from '../../../shared/ids.ts';
import { readShortReference, showShortReference } from '../../../shared/short-reference.ts';
import { getShortReference } from '../../dialogue/open-collection.ts';
import type { TurnRow } from '../../dialogue/turn-store.ts';
import { type DialogueHistory, type OpenedCollection, readMenuState } from './history-query.ts';

/** A turn, or the end of a collection. */
type TranscriptEvent = { at: EpochMs } & (
  | { kind: 'end'; ended: OpenedCollection }
  | { kind: 'turn'; turn: TurnRow }
);

/** True when a screen showed a collection as open or as ended. */
type Observed = 'open' | 'ended';

/** A turn with the time of its request, the collection that it opened, and the collections that its screen showed. */
type ObservingTurn = {
  at: EpochMs;
  turn: TurnRow;
  opens: string | undefined;
  observed: ReadonlyMap<string, Observed>;
};

/**
 * Returns turns and ends in an order in which a rehearsal can repeat them. The times alone do not give this order: an end is
 * dated before it is written, a turn before it reads, and both can have the same millisecond. So a turn that shows a
 * collection as open comes before its end, and one that shows it as ended comes after. Other turns are ordered by time.
 */
export function listTranscriptEvents(history: DialogueHistory): TranscriptEvent[] {
  const turns = orderTurns(history);
  const ends = history.opened
    .map((ended) => ({ ended, at: ended.endedAt ?? Number.POSITIVE_INFINITY }))
    .map(({ ended, at }) => ({ ended, at, position: positionOfEnd(turns, ended.row.id, at) }))
    .toSorted((a, b) => (a.at === b.at ? 0 : a.at - b.at));
  const endsAt = (position: number, next: EpochMs): TranscriptEvent[] =>
    ends
      .filter((end) => end.position === position)
      .map(({ ended, at }) => ({ kind: 'end', ended, at: Math.min(at, next) }));
  return [
    ...turns.flatMap(({ at, turn }, index): TranscriptEvent[] => [
      ...endsAt(index, at),
      { kind: 'turn', turn, at },
    ]),
    ...endsAt(turns.length, Number.POSITIVE_INFINITY),
  ];
}

/** Returns the index of the turn before which a collection ended. */
function positionOfEnd(turns: readonly ObservingTurn[], collectionId: string, at: EpochMs): number {
  const indexOr = (index: number) => (index < 0 ? turns.length : index);
  const lastOpen = turns.findLastIndex(
    ({ opens, observed }) => opens === collectionId || observed.get(collectionId) === 'open',
  );
  const firstEnded = indexOr(turns.findIndex(({ observed }) => observed.get(collectionId) === 'ended'));
  const byTime = indexOr(turns.findIndex((turn) => turn.at >= at));
  return Math.max(lastOpen + 1, Math.min(byTime, firstEnded));
}

function orderTurns({ turns, opened }: DialogueHistory): ObservingTurn[] {
  const previousTurns = new Map<string, TurnRow>();
  const all = turns.map((turn): ObservingTurn => {
    const own = opened.find(({ row }) => opensCollection(turn, row));
    const previous = previousTurns.get(turn.dialogueId);
    previousTurns.set(turn.dialogueId, turn);
    // A collection has the time of the request, its turn the time of the reply.
    const at = Math.max(own?.row.openedAt ?? turn.at, previous?.at ?? 0);
    return { at, turn, opens: own?.row.id, observed: observedBy(turn, previous, opened) };
  });
  // A turn that shows a collection follows the turn of the same millisecond that opened it.
  const follows = ({ at, observed }: ObservingTurn) =>
    all.some((other) => other.at === at && observed.has(other.opens ?? ''));
  return all.toSorted((a, b) => a.at - b.at || Number(follows(a)) - Number(follows(b)));
}

function opensCollection(turn: TurnRow, { id, dialogueId }: OpenedCollection['row']): boolean {
  return turn.ending === null && turn.collectionId === id && turn.dialogueId === dialogueId;
}

function observedBy(
  turn: TurnRow,
  previous: TurnRow | undefined,
  opened: readonly OpenedCollection[],
): ReadonlyMap<string, Observed> {
  const observed = new Map<string, Observed>();
  const observe = (payment: PaymentSummary | undefined) => {
    if (payment && !isReview(payment)) observed.set(payment.id, observedState(payment.state));
  };
  // The state `unknown` of a review is no evidence that it had not ended: the times give the order.
  const isReview = ({ id, state }: PaymentSummary) =>
    state === 'unknown' && opened.some(({ row }) => row.id === id && row.status === 'review');
  const { callerHistory, duplicate } = readMenuState(turn);
  // Later turns of the dialogue repeat both values: only the first turn that has them read the collection.
  if (previous === undefined) observe(callerHistory?.payment);
  if (previous === undefined || readMenuState(previous).duplicate?.id !== duplicate?.id) observe(duplicate);
  for (const { row } of opened) {
    if (turn.ending !== null || opensCollection(turn, row)) continue;
    // The turn shows the open collection instead of opening another one.
    if (turn.collectionId === row.id) observed.set(row.id, 'open');
    const input = readShortReference(turn.input?.split('*').at(-1) ?? '');
    const state = input !== undefined && input === row.shortReference ? shownState(turn.screen) : undefined;
    if (state) observed.set(row.id, observedState(state));
  }
  return observed;
}

function observedState(state: PaymentSummary['state']): Observed {
  return state === 'paid' || state === 'confirming' || state === 'failed' ? 'ended' : 'open';
}

const paymentStates = [
  'paid',
  'confirming',
  'waiting',
  'failed',
  'unknown',
] as const satisfies readonly PaymentSummary['state'][];

/** Returns the payment state on a status screen, unless the menu has texts of its own for it. */
function shownState(screen: string): PaymentSummary['state'] | undefined {
  const firstLine = (text: string) => text.split('\n')[0];
  return paymentStates.find((state) =>
    Object.values(defaultMessages).some(
      (texts) => firstLine(texts[statusMessages[state]]) === firstLine(screen),
    ),
  );
}

/** Replaces the short references of payments with those that a rehearsal creates. */
export type RehearsedReferences = {
  /** Replaces them in a screen, with or without a space between their halves. */
  inScreen(text: string): string;
  /** Returns the replacement for an input that is one of them; `undefined` for another input. */
  forInput(text: string): string | undefined;
  /** True when any was replaced. */
  areUsed(): boolean;
};

/** The dialogues of a rehearsal have ids of their own, from which their short references follow. */
export function rehearsedReferences({ turns, opened }: DialogueHistory): RehearsedReferences {
  const replacements = new Map<string, string>();
  const dialogueIds = [...new Set(turns.map(({ dialogueId }) => dialogueId))];
  for (const [i, dialogueId] of dialogueIds.entries()) {
    // A till counts its dialogues from 1.
    const rehearsed = getShortReference(countedId('dlg', i + 1), 0);
    replacements.set(getShortReference(dialogueId, 0), rehearsed);
    for (const { row } of opened)
      if (row.dialogueId === dialogueId && row.shortReference)
        replacements.set(row.shortReference, rehearsed);
  }
  let areUsed = false;
  const findReplacement = (text: string) => {
    const replacement = replacements.get(readShortReference(text) ?? '');
    if (replacement !== undefined) areUsed = true;
    return replacement;
  };
  return {
    inScreen: (text) =>
      text.replace(/(?<![\d.])\d{4} ?\d{4}(?![\d.]\d|\d)/g, (found) => {
        const replacement = findReplacement(found);
        if (replacement === undefined) return found;
        return found.includes(' ') ? showShortReference(replacement) : replacement;
      }),
    forInput: (text) => findReplacement(text.trim()),
    areUsed: () => areUsed,
  };
}
