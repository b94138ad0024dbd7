import { createHash } from 'node:crypto';
import type { Menu } from '../../menu/schema.ts';
import type { Answers, MenuState } from '../../menu/state/state.ts';
import type { Values } from '../../menu/state/value.ts';

/** The state of a dialogue in a turn's row. */
export type StoredState = MenuState & {
  /** The menu that it was made with; absent in rows of older programs. */
  readonly menu?: string;
};

/** The state in a turn's row, in today's words wherever it has answers, whatever program has written it. */
export function storedStateOf({ state }: { state: string }): StoredState {
  return inTodaysWords(JSON.parse(state) as StoredState);
}

function inTodaysWords<State extends MenuState>(state: State): State {
  const { answers, history: trail, callerHistory: arrival } = state;
  const cutOff = arrival?.interrupted;
  return {
    ...state,
    answers: withValues(answers),
    ...(trail && { history: trail.map((stop) => ({ ...stop, answers: withValues(stop.answers) })) }),
    ...(cutOff && { callerHistory: { ...arrival, interrupted: inTodaysWords(cutOff) } }),
  };
}

/** Programs before this one called values texts. */
function withValues(stored: Answers & { readonly texts?: Values }): Answers {
  const { texts, ...answers } = stored;
  return texts === undefined ? stored : { ...answers, values: texts };
}

const known = new WeakMap<Menu, string>();

/** Tells menus apart: what was answered on the screens of one means nothing on those of another. */
export function fingerprintOf(menu: Menu): string {
  const fingerprint =
    known.get(menu) ?? createHash('sha256').update(JSON.stringify(menu)).digest('hex').slice(0, 16);
  known.set(menu, fingerprint);
  return fingerprint;
}
