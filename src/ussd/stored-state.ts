import { createHash } from 'node:crypto';
import type { Menu } from '../menu/schema.ts';
import type { MenuState } from '../menu/state.ts';

/** The state of a dialogue in a turn's row. */
export type StoredState = MenuState & {
  /** The menu that it was made with; absent in rows of older programs, as `texts` is in rows of this one. */
  readonly menu?: string;
  readonly answers: { readonly texts?: Readonly<Record<string, string>> };
};

const known = new WeakMap<Menu, string>();

/** Tells menus apart: what was answered on the screens of one means nothing on those of another. */
export function fingerprintOf(menu: Menu): string {
  const fingerprint =
    known.get(menu) ?? createHash('sha256').update(JSON.stringify(menu)).digest('hex').slice(0, 16);
  known.set(menu, fingerprint);
  return fingerprint;
}
