import { applyEffectResult } from '../effects/apply-result.ts';
import type { Menu } from '../schema.ts';
import { confirmKeys } from '../screens/draw.ts';
import { isBuiltInScreen, screenOf } from '../screens/screen.ts';
import { startDialogue } from '../state/start-dialogue.ts';
import type { Effect, Intent, MenuContext, MenuState, PaymentSummary } from '../state/state.ts';
import { step } from '../state/step.ts';
import type { KnownCallerHistory } from './caller-histories.ts';
import type { Answered } from './effect-results.ts';
import type { Inputs } from './inputs.ts';
import { rememberPlaces } from './nodes.ts';
import type { Turn, Way } from './turn.ts';

/** A place of the walk, and the places that inputs other than going back lead on to. */
export type Place = {
  /** The screen, or the look-up. */
  readonly screen: string;
  readonly on: Set<string>;
  /** The last word of a payer who got somewhere. */
  readonly isEnd: boolean;
};

export type Walked = {
  readonly menu: Menu;
  /** One dialler, as somebody and, where the menu tells them apart, as an attendant. */
  readonly contexts: readonly [MenuContext, ...MenuContext[]];
  readonly inputs: (state: MenuState, context: MenuContext) => Inputs;
  /** `undefined` where there are more than anybody would look at. */
  readonly gots: (want: Effect) => readonly Answered[] | undefined;
  /** What may be known of a dialler; first of all, nothing. */
  readonly arrivals: (context: MenuContext) => readonly KnownCallerHistory[];
  /** A payment like the one that is agreed to. */
  readonly duplicateOf: (intent: Intent) => PaymentSummary;
  readonly maxVisits: number | undefined;
};

/** Every menu that people would use is walked in far fewer. */
const generous = 50_000;

type StateVisit = {
  readonly kind: 'state';
  readonly state: MenuState;
  readonly way: Way;
  readonly key: string;
  readonly context: MenuContext;
  /** Where the same answers lead to the same, with one mistake fewer. */
  readonly likeAt?: string;
};

type EffectVisit = {
  readonly kind: 'want';
  readonly want: Effect;
  readonly way: Way;
  readonly key: string;
  readonly context: MenuContext;
  readonly from: MenuState | undefined;
  /** The context in which it was wanted. */
  readonly around: MenuContext;
  readonly isFirst: boolean;
};

/**
 * Walks all of a menu, breadth first, with the inputs that `inputs` has for each state, and with all that `gots` says may
 * come of a want; `see` is told every turn. Returns the places by their keys, or `undefined` when it takes too many visits.
 *
 * States that differ only in the values of their answers are one place, unless some condition tells them apart. It is
 * visited again with values that take more room than all before, and when the payer can go back from it to where no other
 * way has led.
 */
export function walkMenu(
  walked: Walked,
  see: (turn: Turn) => { isEnd: boolean },
): Map<string, Place> | undefined {
  const { menu, contexts, inputs, gots, arrivals, duplicateOf, maxVisits = generous } = walked;
  const places = new Map<string, Place>();
  const memory = rememberPlaces(menu, contexts);
  const open: (StateVisit | EffectVisit)[] = [];

  const placeAt = (key: string, screen: string, isEnd = false): Place => {
    const place = places.get(key) ?? { screen, on: new Set(), isEnd };
    places.set(key, place);
    return place;
  };

  /** Notes a turn, and what is still to be visited from there. Returns the places that it leads to. */
  const take = (turn: Turn, context: MenuContext, likeAt?: string): string[] => {
    const { isEnd } = see(turn);
    const { shown, way, from, context: around, isFirst = false } = turn;
    const state = memory.tidy(shown.state);
    const key = memory.keyOf(state, context);
    placeAt(key, state.screen, isEnd);
    if (shown.reply.kind === 'continue' && memory.isNew(key, state, context)) {
      open.push({ kind: 'state', state, way, key, context, ...(likeAt !== undefined && { likeAt }) });
    }
    const { effect: want } = shown;
    if (want === undefined) return [key];
    const wanted = memory.wantKey(want, context);
    const place = placeAt(wanted, want.at.screen);
    // Without an answer it goes on as it does here.
    if (want.kind === 'lookup') place.on.add(key);
    if (memory.isNew(wanted, want.at, context)) {
      open.push({ kind: 'want', want, way, key: wanted, from, context, around, isFirst });
    }
    return [key, wanted];
  };

  const visitWant = ({ want, from, around, isFirst, way: before, context }: EffectVisit, { on }: Place) => {
    const all = gots(want);
    for (const answered of all ?? []) {
      const shown = applyEffectResult(menu, want, answered.got, around);
      const way = { said: answered.said, before };
      const turn = { shown, way, from, came: { want, answered }, context: around, isFirst };
      for (const next of take(turn, context)) on.add(next);
    }
    return all !== undefined;
  };

  const visitState = ({ state, way: before, context, key, likeAt }: StateVisit, { on }: Place) => {
    const type = (input: string, around: MenuContext): Turn => {
      return {
        shown: step(menu, state, input, around),
        way: { input, before },
        from: state,
        context: around,
      };
    };
    const { followed, tried, backwards, unlike } = inputs(state, context);
    if (likeAt !== undefined) on.add(likeAt);
    else {
      for (const input of tried) see(type(input, context));
      for (const input of backwards) take(type(input, context), context);
    }
    for (const { around, typed } of worldsOf(menu, state, context, duplicateOf)) {
      for (const input of typed ?? (likeAt === undefined ? followed : unlike)) {
        const turn = type(input, around);
        const like = isLikeBefore(menu, state, turn, context) ? key : undefined;
        for (const next of take(turn, context, like)) on.add(next);
      }
    }
  };

  let visits = 0;
  let next = 0;
  /** Visits all that is open. False when it takes too many visits. */
  const visitAll = (): boolean => {
    for (let visit = open[next]; visit; visit = open[next]) {
      next++;
      const { kind, key, context } = visit;
      const standpoint = kind === 'state' ? visit.state : visit.want.at;
      // What was new when it was put off may be known by now.
      if (!memory.isNew(key, standpoint, context)) continue;
      if (++visits > maxVisits) return false;
      memory.add(key, standpoint, context);
      const place = placeAt(key, standpoint.screen);
      if (kind === 'state') visitState(visit, place);
      else if (!visitWant(visit, place)) return false;
    }
    return true;
  };

  const roots = contexts.map((context) => ({ context, all: arrivals(context) }));
  // What a dialler of whom nothing is known comes to is told as such; after that little is new.
  for (const isFirst of [true, false]) {
    for (const { context, all } of roots) {
      for (const { arrival, said } of isFirst ? all.slice(0, 1) : all.slice(1)) {
        const way = said === undefined ? undefined : { said, before: undefined };
        take(
          { shown: startDialogue(menu, arrival, context), way, from: undefined, context, isFirst },
          context,
        );
      }
    }
    if (!visitAll()) return undefined;
  }
  return places;
}

/**
 * Whether the answers on the screen that a mistake shows again lead where they would have led before it. They do once the
 * input that led here is forgotten, or where it is held back by nobody.
 */
function isLikeBefore(menu: Menu, before: MenuState, { shown }: Turn, { sequenced }: MenuContext): boolean {
  const { state } = shown;
  if (state.screen !== before.screen || state.invalidInputs !== before.invalidInputs + 1) return false;
  const isKept = isBuiltInScreen(state.screen) || screenOf(menu, state.screen)?.kind === 'confirm';
  return sequenced || isKept || before.invalidInputs > 0;
}

type World = { around: MenuContext; typed?: readonly string[] };

/** The contexts in which a screen's inputs come to different things; `typed` where only some do. */
function worldsOf(
  menu: Menu,
  state: MenuState,
  context: MenuContext,
  duplicateOf: Walked['duplicateOf'],
): World[] {
  const kind = screenOf(menu, state.screen)?.kind;
  if (kind === 'requests') return [{ around: context }, { around: { ...context, blocksRequests: true } }];
  if (kind !== 'confirm') return [{ around: context }];
  return [{ around: context }, { around: { ...context, duplicateOf }, typed: [confirmKeys(state).yes] }];
}
