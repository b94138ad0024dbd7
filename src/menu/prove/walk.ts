import type { Menu } from '../schema.ts';
import type { MenuContext, MenuState, Step, Stop } from '../state.ts';
import { start, step } from '../step.ts';
import type { Inputs } from './inputs.ts';
import { isCovered, type Shape, shapeOf } from './shape.ts';

/** The inputs that led somewhere, the last one first. */
export type Way = { readonly input: string; readonly before: Way } | undefined;

/** One turn of the walk: what was shown, and how it came to it. */
export type Turn = {
  readonly shown: Step;
  readonly way: Way;
  /** The state that the last input was typed in; absent on the first screen. */
  readonly from: MenuState | undefined;
};

/** A place of the walk, and the places that inputs other than going back lead on to. */
export type Place = { readonly screen: string; readonly on: Set<string> };

/** Every menu that people would use is walked in far fewer. */
const generous = 50_000;

/**
 * Walks all of a menu, breadth first, with the inputs that `inputs` has for each state; `see` is told every turn.
 * Returns the places by their keys, or `undefined` when it takes too many visits.
 *
 * States that differ only in the values of their answers are one place. It is visited again with values that take more
 * room than all before, and when the payer can go back from it to where no other way has led.
 */
export function walkMenu(
  menu: Menu,
  context: MenuContext,
  inputs: (state: MenuState) => Inputs,
  mostVisits: number | undefined,
  see: (turn: Turn) => void,
): Map<string, Place> | undefined {
  const { back, home } = menu.keys;
  const places = new Map<string, Place>();
  const memory = remember(menu, context);
  const open: { state: MenuState; way: Way; key: string }[] = [];

  const arrive = ({ state, reply }: Step, way: Way): string => {
    const key = memory.keyOf(state);
    if (!places.has(key)) places.set(key, { screen: state.screen, on: new Set() });
    if (reply.kind === 'continue' && memory.isNew(key, state)) open.push({ state, way, key });
    return key;
  };

  const first = start(menu, context);
  see({ shown: first, way: undefined, from: undefined });
  arrive(first, undefined);
  let visits = 0;
  for (const { state, way: before, key } of open) {
    // What was new when it was put off may be known by now.
    if (!memory.isNew(key, state)) continue;
    if (++visits > (mostVisits ?? generous)) return undefined;
    memory.add(key, state);
    const { followed, tried } = inputs(state);
    for (const input of tried) {
      see({ shown: step(menu, state, input, context), way: { input, before }, from: state });
    }
    for (const input of followed) {
      const shown = step(menu, state, input, context);
      const way = { input, before };
      see({ shown, way, from: state });
      const next = arrive(shown, way);
      if (input !== back && input !== home) places.get(key)?.on.add(next);
    }
  }
  return places;
}

/** What was visited: at each place, with which room, and with what to go back to. */
function remember(menu: Menu, context: MenuContext) {
  const shape = shapeOf(menu, context);
  const visited = new Map<string, Shape['room'][]>();
  const behind = new Map<string, Map<string, Shape['room'][]>>();
  const keyOf = (state: MenuState) => placeKey(menu, state, shape(state.answers).kind);

  const stopKey = ({ screen, answers }: Stop, at: number) => `${screen} ${at === 0} ${shape(answers).kind}`;
  /** Going back to it shows nothing new, in whatever language. */
  const isSettled = ({ screen, answers }: Stop, at: number) =>
    menu.languages.every((language) => {
      const trail = at === 0 ? {} : { trail: [{ screen, answers }] };
      const key = keyOf({ screen, language, answers, mistakes: 0, lastInput: '0', ...trail });
      return isCovered(visited.get(key) ?? [], shape(answers).room);
    });
  return {
    keyOf,
    isNew(key: string, { answers, trail = [] }: MenuState): boolean {
      if (!isCovered(visited.get(key) ?? [], shape(answers).room)) return true;
      const known = behind.get(key);
      return trail.some(
        (stop, at) =>
          !isCovered(known?.get(stopKey(stop, at)) ?? [], shape(stop.answers).room) && !isSettled(stop, at),
      );
    },
    add(key: string, { answers, trail = [] }: MenuState): void {
      addTo(visited, key, shape(answers).room);
      const known = behind.get(key) ?? new Map();
      for (const [at, stop] of trail.entries()) addTo(known, stopKey(stop, at), shape(stop.answers).room);
      behind.set(key, known);
    },
  };
}

function addTo(rooms: Map<string, Shape['room'][]>, key: string, room: Shape['room']): void {
  const known = rooms.get(key) ?? [];
  if (!isCovered(known, room)) rooms.set(key, [...known, room]);
}

function placeKey(menu: Menu, state: MenuState, answersKind: string): string {
  const { screen, language, answers, mistakes, lastInput, page, notice, trail, ...rest } = state;
  const isConfirm = menu.screens[screen]?.kind === 'confirm';
  // The keys of a confirm screen depend on it; elsewhere it only counts that there is one.
  const last = isConfirm && (lastInput === '1' || lastInput === '2') ? lastInput : lastInput !== undefined;
  const parts = [screen, language, answersKind, mistakes, last, page, notice, !trail?.length, rest];
  return JSON.stringify(parts);
}

/** The inputs in the order in which they are typed. */
export function inputsAlong(way: Way): string[] {
  const inputs: string[] = [];
  for (let at = way; at; at = at.before) inputs.push(at.input);
  return inputs.reverse();
}
