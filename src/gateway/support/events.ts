import { statusMessages } from '../../menu/screens/payment-offers.ts';
import type { PaymentSummary } from '../../menu/state/state.ts';
import { defaultMessages } from '../../menu/text/default-messages.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { readShortReference } from '../../shared/short-reference.ts';
import type { TurnRow } from './collection-query.ts';
import { type DialogueHistory, type Ended, stateOf } from './dialogue-query.ts';

/** What happened in a story: a turn, or the end of a collection. */
export type Event = { at: EpochMs } & ({ kind: 'end'; ended: Ended } | { kind: 'turn'; turn: TurnRow });

/** A turn, when it was asked for, and what it knew. */
type Placed = { at: EpochMs; turn: TurnRow; opens: string | undefined; saw: ReadonlyMap<string, Sight> };
const states = ['paid', 'waiting', 'failed', 'unknown'] as const satisfies readonly PaymentSummary['state'][];

/** How a turn found a collection. One that it found `open` may have ended in the same millisecond, but later. */
type Sight = 'open' | 'over';

/**
 * Turns and ends in the order in which they can be done again. Times alone do not tell it: an end is dated before it is
 * written, a turn before it looks, and both may be of one millisecond. What a turn shows of a collection says whether
 * it came before the end or after it; where it shows nothing, what was known first stands first.
 */
export function eventsOf(story: DialogueHistory): Event[] {
  const turns = placed(story);
  const ends = story.opened.flatMap((ended): { before: number; at: EpochMs; ended: Ended }[] => {
    const { row, endedAt } = ended;
    const at = endedAt ?? Number.POSITIVE_INFINITY;
    const earliest =
      1 + turns.findLastIndex(({ opens, saw }) => opens === row.id || saw.get(row.id) === 'open');
    const latest = turns.findIndex(({ saw }) => saw.get(row.id) === 'over');
    const byTime = turns.findIndex((one) => one.at >= at);
    const [last, usual] = [latest, byTime].map((index) => (index < 0 ? turns.length : index));
    return [{ ended, at, before: Math.max(earliest, Math.min(usual ?? 0, last ?? 0)) }];
  });
  const inOrder = ends.toSorted((a, b) => (a.at === b.at ? 0 : a.at - b.at));
  const endsBefore = (index: number, next: EpochMs): Event[] =>
    inOrder
      .filter(({ before }) => before === index)
      .map(({ ended, at }) => ({ kind: 'end', ended, at: Math.min(at, next) }));
  return [
    ...turns.flatMap(({ at, turn }, index): Event[] => [
      ...endsBefore(index, at),
      { kind: 'turn', turn, at },
    ]),
    ...endsBefore(turns.length, Number.POSITIVE_INFINITY),
  ];
}

function placed({ turns, opened }: DialogueHistory): Placed[] {
  const before = new Map<string, TurnRow>();
  const all = turns.map((turn): Placed => {
    const own = opened.find(({ row }) => isIntentOf(turn, row));
    const last = before.get(turn.dialogueId);
    before.set(turn.dialogueId, turn);
    // A collection is dated when its yes came, its turn when that was answered.
    const at = Math.max(own?.row.openedAt ?? turn.at, last?.at ?? 0);
    return { at, turn, opens: own?.row.id, saw: sightsOf(turn, last, opened) };
  });
  // Of one millisecond: what a turn has seen opened was opened before it.
  const follows = ({ at, saw }: Placed) => all.some((one) => one.at === at && saw.has(one.opens ?? ''));
  return all.toSorted((a, b) => a.at - b.at || Number(follows(a)) - Number(follows(b)));
}

function isIntentOf(turn: TurnRow, { id, dialogueId }: Ended['row']): boolean {
  return turn.ending === null && turn.collectionId === id && turn.dialogueId === dialogueId;
}

function sightsOf(
  turn: TurnRow,
  last: TurnRow | undefined,
  opened: readonly Ended[],
): ReadonlyMap<string, Sight> {
  const saw = new Map<string, Sight>();
  const { callerHistory: arrival, duplicate: twin } = stateOf(turn);
  const see = (standing: PaymentSummary | undefined) => {
    if (standing) saw.set(standing.id, isOver(standing.state) ? 'over' : 'open');
  };
  // Both are carried along from turn to turn: they tell of the one that looked.
  if (last === undefined) see(arrival?.payment);
  if (last === undefined || stateOf(last).duplicate?.id !== twin?.id) see(twin);
  for (const { row } of opened) {
    if (turn.ending !== null || isIntentOf(turn, row)) continue;
    // A yes that was answered with the one that waits.
    if (turn.collectionId === row.id) saw.set(row.id, 'open');
    const asked = readShortReference(turn.input?.split('*').at(-1) ?? '');
    const told = asked !== undefined && asked === row.shortReference ? statusTold(turn.screen) : undefined;
    if (told) saw.set(row.id, isOver(told) ? 'over' : 'open');
  }
  return saw;
}

function isOver(state: PaymentSummary['state']): boolean {
  return state === 'paid' || state === 'failed';
}

/** What an attendant was told, where the menu leaves the words as they are. */
function statusTold(screen: string): PaymentSummary['state'] | undefined {
  const headOf = (text: string) => text.split('\n')[0];
  return states.find((state) =>
    Object.values(defaultMessages).some((said) => headOf(said[statusMessages[state]]) === headOf(screen)),
  );
}
