import { and, asc, between, eq, inArray } from 'drizzle-orm';
import type { MenuState } from '../../menu/state/state.ts';
import type { EpochMs } from '../../shared/clock.ts';
import type { Store } from '../../sqlite/store.ts';
import type { CollectionRow } from '../collection/collection.ts';
import { collection, diallerSetting, fact, turn } from '../schema.ts';
import type { CollectionRecord, TurnRow } from './collection-query.ts';

/** What dialogues came to: a collection, and since when its end was known. */
export type Ended = { row: CollectionRow; endedAt: EpochMs | null };

/** What a first screen speaks of, and nothing here tells of it. */
export type Missing = 'standing' | 'resume' | 'language' | 'more';

/** A collection with all that its screens speak of. */
export type DialogueHistory = {
  collection: CollectionRow;
  /** Of its own dialogue, of later ones that were shown it, and of earlier ones that led to their screens; in order. */
  turns: TurnRow[];
  /** The collections of these dialogues, in order. */
  opened: Ended[];
  missing: ReadonlySet<Missing>;
};

type Dialogue = { id: string; dialler: string; turns: TurnRow[]; at: EpochMs };

/** Nothing is remembered on a screen for longer, but for a language. */
const dayMs = 24 * 3_600_000;
const maxRows = 2_000;
/** More than anybody dials for one payment, and few enough to be read. */
const maxDialogues = 12;

const ends = ['paid', 'failed', 'expired', 'abandoned', 'review_opened'] as const;

export function stateOf({ state }: Pick<TurnRow, 'state'>): MenuState {
  return JSON.parse(state) as MenuState;
}

/** Gathers the dialogues of a collection's file, and those without which their screens would be otherwise. */
export async function loadDialogueHistory({ read }: Store, file: CollectionRecord): Promise<DialogueHistory> {
  const { collection: row } = file;
  const { merchantId, livemode } = row;
  const pool = new Map<string, Dialogue>();
  const loaded = new Set<string>();
  const missing = new Set<Missing>();

  function add(rows: readonly TurnRow[]): void {
    for (const one of rows) {
      const { dialogueId: id, dialler, at } = one;
      const known = pool.get(id) ?? { id, dialler, turns: [], at };
      if (!known.turns.some(({ sequence }) => sequence === one.sequence)) known.turns.push(one);
      pool.set(id, known);
    }
  }

  async function load(dialler: string): Promise<void> {
    if (loaded.has(dialler)) return;
    loaded.add(dialler);
    const around = between(turn.at, row.openedAt - dayMs, row.openedAt + dayMs);
    const rows = await read
      .select()
      .from(turn)
      .where(and(eq(turn.dialler, dialler), eq(turn.merchantId, merchantId), around))
      .orderBy(asc(turn.at), asc(turn.sequence))
      .limit(maxRows);
    add(rows);
  }

  /** The dialogue in which a collection was agreed to. */
  async function dialogueOf(collectionId: string): Promise<string | undefined> {
    const [found] = await read.select().from(collection).where(eq(collection.id, collectionId));
    if (found) await load(found.dialler);
    return found && pool.has(found.dialogueId) ? found.dialogueId : undefined;
  }

  /** What a dialogue's screens were made of, by the dialogues that it came from. */
  async function sourcesOf(dialogue: Dialogue): Promise<(string | undefined)[]> {
    await load(dialogue.dialler);
    const states = dialogue.turns.map(stateOf);
    const [first] = states;
    const spokenOf = new Set(
      [first?.callerHistory?.payment, ...states.map(({ duplicate: twin }) => twin)].flatMap(
        (one) => one?.id ?? [],
      ),
    );
    const sources: (string | undefined)[] = [];
    for (const id of spokenOf) {
      const found = await dialogueOf(id);
      if (found === undefined) missing.add('standing');
      sources.push(found);
    }
    const before = [...pool.values()]
      .filter((one) => one.dialler === dialogue.dialler && one.at < dialogue.at)
      .sort((a, b) => b.at - a.at);
    if (first?.callerHistory?.interrupted) {
      if (!before[0]) missing.add('resume');
      sources.push(before[0]?.id);
    }
    if (first?.screen !== '(language)') {
      const chosen = before.find(choosesLanguage);
      if (!chosen && (await languageIsOlder(dialogue))) missing.add('language');
      sources.push(chosen?.id);
    }
    return sources;
  }

  async function languageIsOlder({ dialler, at }: Dialogue): Promise<boolean> {
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

  add(file.turns);
  await load(row.dialler);
  await load(row.payer);
  const later = [...pool.values()].filter((one) => isShown(one, row.id)).map(({ id }) => id);
  const wanted = [row.dialogueId, ...file.turns.map(({ dialogueId }) => dialogueId), ...later];
  const story = new Map<string, Dialogue>();
  for (let id = wanted.shift(); id !== undefined; id = wanted.shift()) {
    const dialogue = pool.get(id);
    if (!dialogue || story.has(id)) continue;
    if (story.size >= maxDialogues) {
      missing.add('more');
      break;
    }
    story.set(id, dialogue);
    const sources = await sourcesOf(dialogue);
    // Without what it came from a dialogue cannot be played: before whatever else is wanted.
    wanted.unshift(...sources.filter((one) => one !== undefined));
  }
  const turns = [...story.values()]
    .flatMap((one) => one.turns)
    .sort((a, b) => a.at - b.at || a.sequence - b.sequence);
  return { collection: row, turns, opened: await openedIn(read, [...story.keys()]), missing };
}

/** A later dialogue that was shown the collection, or warned of it. */
function isShown({ turns }: Dialogue, collectionId: string): boolean {
  const states = turns.map(stateOf);
  return states.some(({ callerHistory: arrival, duplicate: twin }) =>
    [arrival?.payment?.id, twin?.id].includes(collectionId),
  );
}

function choosesLanguage({ turns }: Dialogue): boolean {
  const states = turns.map(stateOf);
  return states.some((state, i) => {
    const before = states[i - 1];
    if (before === undefined) return false;
    return before.screen === '(language)'
      ? state.screen !== '(language)'
      : before.language !== state.language;
  });
}

async function openedIn(read: Store['read'], dialogues: readonly string[]): Promise<Ended[]> {
  const rows = (await read
    .select()
    .from(collection)
    .where(inArray(collection.dialogueId, [...dialogues]))
    .orderBy(asc(collection.openedAt), asc(collection.id))) as CollectionRow[];
  const facts = await read
    .select({ id: fact.collectionId, at: fact.at })
    .from(fact)
    .where(
      and(
        inArray(
          fact.collectionId,
          rows.map(({ id }) => id),
        ),
        inArray(fact.kind, [...ends]),
      ),
    )
    .orderBy(asc(fact.at));
  return rows.map((row) => ({ row, endedAt: facts.find(({ id }) => id === row.id)?.at ?? null }));
}
