import { createHash } from 'node:crypto';
import type { Menu } from '../../menu/schema.ts';
import type { HistoryEntry, MenuState, Step } from '../../menu/state/state.ts';

/** The state of a dialogue after a turn. */
export type StoredState = MenuState & {
  /** The fingerprint of the menu that produced the state. */
  readonly menu: string;
};

/** A state in a turn's row, without the values that most states have. */
type CompactState = Omit<StoredState, 'answers' | 'invalidInputs' | 'history'> & {
  answers?: MenuState['answers'];
  invalidInputs?: number;
  /** A text is a screen that was left without an answer. */
  history?: readonly (string | HistoryEntry)[];
};

/** Returns the state for a turn's row. A dialogue that has ended goes back to no screen, so its history is left out. */
export function storeState({ state, reply }: Pick<Step, 'state' | 'reply'>, menu: Menu): string {
  const { answers, invalidInputs, history, ...rest } = state;
  const compact: CompactState = {
    ...rest,
    ...(isEmpty(answers) ? {} : { answers }),
    ...(invalidInputs === 0 ? {} : { invalidInputs }),
    ...(history && reply.kind !== 'end' ? { history: history.map(compactEntry) } : {}),
    menu: computeFingerprint(menu),
  };
  return JSON.stringify(compact);
}

function compactEntry(entry: HistoryEntry): string | HistoryEntry {
  return isEmpty(entry.answers) ? entry.screen : entry;
}

function isEmpty(answers: MenuState['answers']): boolean {
  for (const _ in answers) return false;
  return true;
}

/** Returns the state in a turn's row. */
export function getStoredState({ state }: { state: string }): StoredState {
  const { answers = {}, invalidInputs = 0, history, ...rest } = JSON.parse(state) as CompactState;
  const full = { ...rest, answers, invalidInputs };
  return history ? { ...full, history: history.map(wholeEntry) } : full;
}

function wholeEntry(entry: string | HistoryEntry): HistoryEntry {
  return typeof entry === 'string' ? { screen: entry, answers: {} } : entry;
}

/** Returns the menu's state in a turn's row. */
export function getMenuState(row: { state: string }): MenuState {
  const { menu: _, ...state } = getStoredState(row);
  return state;
}

/** Returns whether the input of a turn turned the page, and turns its page too. Few states are parsed for it. */
export function turnsAgain(row: { state: string }): boolean {
  return row.state.includes('"turnsAgain":true') && getStoredState(row).turnsAgain === true;
}

const fingerprints = new WeakMap<Menu, string>();

/** Identifies a menu by its content: the answers of one menu have no meaning on the screens of another. */
export function computeFingerprint(menu: Menu): string {
  const fingerprint =
    fingerprints.get(menu) ?? createHash('sha256').update(JSON.stringify(menu)).digest('hex').slice(0, 16);
  fingerprints.set(menu, fingerprint);
  return fingerprint;
}
