import { and, asc, between, eq, inArray } from 'drizzle-orm';
import type { MenuState, PaymentSummary } from '../../../menu/state/state.ts';
import type { EpochMs } from '../../../shared/clock.ts';
import type { Store } from '../../../sqlite/store.ts';
import type { CollectionRow } from '../../collection/collection.ts';
import { collection, diallerSetting, fact, turn } from '../../database/schema.ts';
import { getStoredState } from '../../dialogue/stored-state.ts';
import type { TurnRow } from '../../dialogue/turn-store.ts';
import type { CollectionRecord } from '../collection-query.ts';

/** A collection that a dialogue opened, and the time of its end. */
export type OpenedCollection = { row: CollectionRow; endedAt: EpochMs | null };

/** Parts of a dialogue that the ledger no longer has, although a screen depends on them. */
export type Missing = 'payment' | 'resume' | 'language' | 'more';

/** A collection, or a dialogue without one, with the dialogues that its screens depend on. */
export type DialogueHistory = {
  /** Absent when the dialogue opened none. */
  collection: CollectionRow | undefined;
  /** The turns of the dialogue, of later dialogues that showed it, and of earlier dialogues that led to them; in order. */
  turns: TurnRow[];
  /** The collections that these dialogues opened, in order. */
  opened: OpenedCollection[];
  missing: ReadonlySet<Missing>;
};

type Dialogue = { id: string; dialler: string; turns: TurnRow[]; at: EpochMs };

/** The longest time for which a screen depends on an earlier dialogue, apart from its language. */
const dayMs = 24 * 3_600_000;
const maxRows = 2_000;
const maxDialogues = 12;

const endKinds = ['paid', 'failed', 'expired', 'abandoned', 'review_opened'] as const;

/** Returns the state of the menu after a turn. */
export function readMenuState(turn: Pick<TurnRow, 'state'>): MenuState {
  return getStoredState(turn);
}

/** Returns the earlier payments that the screens of a state can show. */
export function paymentsShownIn({ callerHistory, duplicate }: MenuState): PaymentSummary[] {
  return [callerHistory?.payment, duplicate].filter((payment) => payment !== undefined);
}

/** The dialogue that a history is about, and the phones that have a part in it. */
type HistorySubject = {
  merchantId: string;
  livemode: number;
  dialogueId: string;
  phones: readonly string[];
  at: EpochMs;
  turns: readonly TurnRow[];
  collection: CollectionRow | undefined;
};

/** Loads the dialogues of a collection, and the dialogues that their screens depend on. */
export function loadDialogueHistory(
  store: Store,
  { collection: row, turns }: Pick<CollectionRecord, 'collection' | 'turns'>,
): Promise<DialogueHistory> {
  const { merchantId, livemode, dialogueId, dialler, payer, openedAt: at } = row;
  const subject = { merchantId, livemode, dialogueId, phones: [dialler, payer], at, turns };
  return loadHistory(store, { ...subject, collection: row });
}

/**
 * Loads a dialogue that opened no collection, and the dialogues that its screens depend on.
 *
 * @param turns the turns of the dialogue, in order.
 * @returns `undefined` without turns.
 */
export async function loadSessionHistory(
  store: Store,
  turns: readonly TurnRow[],
  livemode: 0 | 1,
): Promise<DialogueHistory | undefined> {
  const [first] = turns;
  if (!first) return undefined;
  const { merchantId, dialogueId, dialler, at } = first;
  const subject = { merchantId, livemode, dialogueId, phones: [dialler], at, turns };
  return loadHistory(store, { ...subject, collection: undefined });
}

async function loadHistory({ read }: Store, subject: HistorySubject): Promise<DialogueHistory> {
  const { merchantId, livemode, turns, collection: row } = subject;
  const dialogues = new Map<string, Dialogue>();
  const loadedDiallers = new Set<string>();
  const missing = new Set<Missing>();

  function add(rows: readonly TurnRow[]): void {
    for (const turn of rows) {
      const { dialogueId: id, dialler, at } = turn;
      const dialogue = dialogues.get(id) ?? { id, dialler, turns: [], at };
      if (!dialogue.turns.some(({ sequence }) => sequence === turn.sequence)) dialogue.turns.push(turn);
      dialogues.set(id, dialogue);
    }
  }

  async function loadDialogues(dialler: string): Promise<void> {
    if (loadedDiallers.has(dialler)) return;
    loadedDiallers.add(dialler);
    const isRelevant = between(turn.at, subject.at - dayMs, subject.at + dayMs);
    const rows = await read
      .select()
      .from(turn)
      .where(and(eq(turn.dialler, dialler), eq(turn.merchantId, merchantId), isRelevant))
      .orderBy(asc(turn.at), asc(turn.sequence))
      .limit(maxRows);
    add(rows);
  }

  /** Returns the id of the dialogue that opened a collection. */
  async function readDialogue(collectionId: string): Promise<string | undefined> {
    const [found] = await read.select().from(collection).where(eq(collection.id, collectionId));
    if (found) await loadDialogues(found.dialler);
    return found && dialogues.has(found.dialogueId) ? found.dialogueId : undefined;
  }

  /** Returns the ids of the earlier dialogues that the screens of a dialogue depend on. */
  async function readSources(dialogue: Dialogue): Promise<string[]> {
    await loadDialogues(dialogue.dialler);
    const states = dialogue.turns.map(readMenuState);
    const [first] = states;
    const sources: (string | undefined)[] = [];
    for (const id of new Set(states.flatMap(paymentsShownIn).map((payment) => payment.id))) {
      const found = await readDialogue(id);
      if (found === undefined) missing.add('payment');
      sources.push(found);
    }
    const earlier = [...dialogues.values()]
      .filter((one) => one.dialler === dialogue.dialler && one.at < dialogue.at)
      .sort((a, b) => b.at - a.at);
    if (first?.callerHistory?.interrupted) {
      if (!earlier[0]) missing.add('resume');
      sources.push(earlier[0]?.id);
    }
    if (first?.screen !== '(language)') {
      const chosen = earlier.find(choosesLanguage);
      if (!chosen && (await hasEarlierLanguage(dialogue))) missing.add('language');
      sources.push(chosen?.id);
    }
    return sources.filter((id) => id !== undefined);
  }

  async function hasEarlierLanguage({ dialler, at }: Dialogue): Promise<boolean> {
    const [setting] = await read
      .select()
      .from(diallerSetting)
      .where(
        and(
          eq(diallerSetting.merchantId, merchantId),
          eq(diallerSetting.livemode, livemode),
          eq(diallerSetting.msisdn, dialler),
        ),
      );
    return setting !== undefined && setting.language !== null && setting.updatedAt < at;
  }

  add(turns);
  for (const phone of subject.phones) await loadDialogues(phone);
  const later = [...dialogues.values()].filter((dialogue) => row && shows(dialogue, row.id));
  const queue = [
    subject.dialogueId,
    ...turns.map(({ dialogueId }) => dialogueId),
    ...later.map(({ id }) => id),
  ];
  const included = new Map<string, Dialogue>();
  for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
    const dialogue = dialogues.get(id);
    if (!dialogue || included.has(id)) continue;
    if (included.size >= maxDialogues) {
      missing.add('more');
      break;
    }
    included.set(id, dialogue);
    // The sources come first: a dialogue cannot be rehearsed without them.
    queue.unshift(...(await readSources(dialogue)));
  }
  return {
    collection: row,
    turns: [...included.values()]
      .flatMap((dialogue) => dialogue.turns)
      .sort((a, b) => a.at - b.at || a.sequence - b.sequence),
    opened: await loadOpenedCollections(read, [...included.keys()]),
    missing,
  };
}

/** True when a dialogue showed the collection, also as a duplicate. */
function shows({ turns }: Dialogue, collectionId: string): boolean {
  return turns.some((turn) => paymentsShownIn(readMenuState(turn)).some(({ id }) => id === collectionId));
}

function choosesLanguage({ turns }: Dialogue): boolean {
  const states = turns.map(readMenuState);
  return states.some((state, i) => {
    const previous = states[i - 1];
    if (previous === undefined) return false;
    return previous.screen === '(language)'
      ? state.screen !== '(language)'
      : previous.language !== state.language;
  });
}

async function loadOpenedCollections(
  read: Store['read'],
  dialogueIds: readonly string[],
): Promise<OpenedCollection[]> {
  const rows = (await read
    .select()
    .from(collection)
    .where(inArray(collection.dialogueId, [...dialogueIds]))
    .orderBy(asc(collection.openedAt), asc(collection.id))) as CollectionRow[];
  const ids = rows.map(({ id }) => id);
  const ends = await read
    .select({ id: fact.subjectId, at: fact.at })
    .from(fact)
    .where(and(inArray(fact.subjectId, ids), inArray(fact.kind, [...endKinds])))
    .orderBy(asc(fact.at));
  return rows.map((row) => ({ row, endedAt: ends.find(({ id }) => id === row.id)?.at ?? null }));
}
