import { quoteFor } from '../effects/quote.ts';
import type { Menu } from '../schema.ts';
import { confirmKeys } from '../screens/draw.ts';
import { isBuiltInScreen, screenOf } from '../screens/screen.ts';
import type { Effect, HistoryEntry, MenuContext, MenuState } from '../state/state.ts';
import { asksWho } from './channel.ts';
import { isCovered, type Shape, shapeOf } from './shape.ts';
import { aheadOf } from './uses.ts';

/** Remembers what was visited: at each place, with which room, and with what to go back to. */
export function rememberPlaces(menu: Menu, contexts: readonly [MenuContext, ...MenuContext[]]) {
  const [context] = contexts;
  const shape = shapeOf(menu, context);
  const asksAhead = asksWhoAhead(menu);
  const whoAt = (screen: string, { isAttendant }: MenuContext) => isAttendant && asksAhead(screen);
  const visited = new Map<string, Shape['room'][]>();
  const behind = new Map<string, Map<string, Shape['room'][]>>();
  const keyOf = (state: MenuState, around: MenuContext) =>
    placeKey(menu, state, `${whoAt(state.screen, around)} ${shape(state).kind}`);

  const stopKey = (stop: HistoryEntry, at: number, around: MenuContext) =>
    `${stop.screen} ${at === 0} ${whoAt(stop.screen, around)} ${shape(stop).kind}`;
  /** Going back to it shows nothing new, in whatever language. */
  const isSettled = ({ screen, answers }: HistoryEntry, at: number, around: MenuContext) =>
    menu.languages.every((language) => {
      const trail = at === 0 ? {} : { history: [{ screen, answers }] };
      const state = { screen, language, answers, invalidInputs: 0, lastInput: '0', ...trail };
      return isCovered(visited.get(keyOf(state, around)) ?? [], shape(state).room);
    });
  return {
    keyOf,
    /** The place where something is wanted, before anything came. */
    wantKey: (want: Effect, around: MenuContext) => `${want.kind} ${keyOf(want.at, around)}`,
    /**
     * A state without what is remembered only to be quick: what was looked up is asked again, so that every answer comes
     * after every way. How often in a row there was no such thing is counted by itself.
     */
    tidy({ lookedUp: _, quoted, ...state }: MenuState): MenuState {
      const isQuoted = quoted && quoteFor({ answers: state.answers, quoted }, context) !== undefined;
      return isQuoted ? { ...state, quoted } : state;
    },
    isNew(key: string, state: MenuState, around: MenuContext): boolean {
      if (!isCovered(visited.get(key) ?? [], shape(state).room)) return true;
      const known = behind.get(key);
      return (state.history ?? []).some(
        (stop, at) =>
          !isCovered(known?.get(stopKey(stop, at, around)) ?? [], shape(stop).room) &&
          !isSettled(stop, at, around),
      );
    },
    add(key: string, state: MenuState, around: MenuContext): void {
      addTo(visited, key, shape(state).room);
      const known = behind.get(key) ?? new Map();
      for (const [at, stop] of (state.history ?? []).entries())
        addTo(known, stopKey(stop, at, around), shape(stop).room);
      behind.set(key, known);
    },
  };
}

function addTo(rooms: Map<string, Shape['room'][]>, key: string, room: Shape['room']): void {
  const known = rooms.get(key) ?? [];
  if (!isCovered(known, room)) rooms.set(key, [...known, room]);
}

/** Whether some screen ahead has something for attendants alone. */
function asksWhoAhead(menu: Menu): (screen: string) => boolean {
  const known = new Map<string, boolean>();
  return (first) => {
    const asks = known.get(first) ?? [...aheadOf(menu, first)].some((name) => asksWho(menu.screens[name]));
    known.set(first, asks);
    return asks;
  };
}

function placeKey(menu: Menu, state: MenuState, answersKind: string): string {
  const {
    screen,
    language,
    answers: _answers,
    invalidInputs,
    lastInput: _lastInput,
    previousInput: _inputBefore,
    page,
    notice,
    history: trail,
    quoted: _quoted,
    duplicate: _twin,
    ...rest
  } = state;
  const parts = [
    screen,
    language,
    answersKind,
    invalidInputs,
    lastKey(menu, state),
    page,
    notice,
    !trail?.length,
    rest,
  ];
  return JSON.stringify(parts);
}

/** The keys of the gateway's own screens depend on the last input; elsewhere it only counts that there is one. */
function lastKey(menu: Menu, state: MenuState): unknown {
  const { screen, lastInput } = state;
  const kind = screenOf(menu, screen)?.kind;
  if (kind === 'confirm' || kind === 'duplicate') return confirmKeys(state);
  if (isBuiltInScreen(screen) && /^[1-9]$/.test(lastInput ?? '')) return lastInput;
  if (lastInput === undefined) return false;
  // A key of every screen is one again; anything else is held back where it may be a repeat.
  const { back, home, more } = menu.keys;
  return [back, home, ...more].includes(lastInput) ? 'key' : 'input';
}
