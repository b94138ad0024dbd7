import { createHash } from 'node:crypto';
import type { Menu } from '../../menu/schema.ts';
import type { MenuState } from '../../menu/state/state.ts';

/** The state of a dialogue in a turn's row. */
export type StoredState = MenuState & {
  /** The fingerprint of the menu that produced the state. */
  readonly menu: string;
};

export function storedStateOf({ state }: { state: string }): StoredState {
  return JSON.parse(state) as StoredState;
}

export function menuStateOf(row: { state: string }): MenuState {
  const { menu: _, ...state } = storedStateOf(row);
  return state;
}

const fingerprints = new WeakMap<Menu, string>();

/** Identifies a menu by its content: the answers of one menu have no meaning on the screens of another. */
export function fingerprintOf(menu: Menu): string {
  const fingerprint =
    fingerprints.get(menu) ?? createHash('sha256').update(JSON.stringify(menu)).digest('hex').slice(0, 16);
  fingerprints.set(menu, fingerprint);
  return fingerprint;
}
