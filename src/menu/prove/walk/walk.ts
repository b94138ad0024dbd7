import { applyEffectResult } from '../../effects/apply-result.ts';
import type { Menu } from '../../schema.ts';
import { isBuiltInScreen, screenOf } from '../../screens/screen.ts';
import { startDialogue } from '../../state/start-dialogue.ts';
import type { Effect, MenuContext, MenuState } from '../../state/state.ts';
import { step } from '../../state/step.ts';
import type { LabelledHistory } from '../inputs/caller-histories.ts';
import type { LabelledResult } from '../inputs/effect-results.ts';
import type { Inputs } from '../inputs/inputs.ts';
import type { Path, Turn } from './turn.ts';
import { createVisitedNodes } from './visited.ts';

/** A class of equivalent states, with the keys of the nodes that inputs other than going back lead to. */
export type Node = {
  /** The screen or lookup of the states. */
  readonly screen: string;
  readonly next: Set<string>;
  /** The dialogue ends here as the menu intends. */
  readonly isEnd: boolean;
};

/** The states to walk: where dialogues start, and what can happen in each state. */
export type StateSpace = {
  readonly menu: Menu;
  /** One dialler as a customer and, where the menu distinguishes the two, as an attendant. */
  readonly contexts: readonly [MenuContext, ...MenuContext[]];
  readonly inputs: (state: MenuState, context: MenuContext) => Inputs;
  /** Returns `undefined` where there are too many results to walk. */
  readonly effectResults: (effect: Effect) => readonly LabelledResult[] | undefined;
  /** The first one is empty: a dialler without a history. */
  readonly callerHistories: (context: MenuContext) => readonly LabelledHistory[];
  readonly maxVisits: number | undefined;
};

/** Menus in use need far fewer visits. */
const defaultMaxVisits = 50_000;

type PendingState = {
  readonly kind: 'state';
  readonly state: MenuState;
  readonly path: Path;
  readonly key: string;
  readonly context: MenuContext;
  /** The key of a node with the same routes and one invalid input fewer. */
  readonly equivalentTo: string | undefined;
};

type PendingEffect = {
  readonly kind: 'effect';
  readonly effect: Effect;
  /** The turn that requests the effect. */
  readonly turn: Turn;
  readonly key: string;
  readonly context: MenuContext;
};

type Walk = {
  readonly space: StateSpace;
  readonly observe: (turn: Turn) => { isEnd: boolean };
  readonly nodes: Map<string, Node>;
  readonly visited: ReturnType<typeof createVisitedNodes>;
  /** First in, first out. */
  readonly pending: (PendingState | PendingEffect)[];
  visits: number;
};

/**
 * Walks the whole state space of a menu breadth first and passes every turn to `observe`.
 *
 * States that differ only in the values of their answers share a node, unless a condition distinguishes the values. The
 * walk visits a node again for longer values than before, and for a history from which going back leads to new screens.
 *
 * @returns The nodes by key, or `undefined` when the walk exceeds `maxVisits`.
 */
export function walkMenu(
  space: StateSpace,
  observe: (turn: Turn) => { isEnd: boolean },
): Map<string, Node> | undefined {
  const { menu, contexts, callerHistories } = space;
  const visited = createVisitedNodes(menu, contexts);
  const walk: Walk = { space, observe, nodes: new Map(), visited, pending: [], visits: 0 };
  const roots = contexts.map((context) => ({ context, histories: callerHistories(context) }));
  // Diallers without a history come first, so that findings report them where possible.
  for (const isFirst of [true, false]) {
    for (const { context, histories } of roots) {
      for (const { history, label } of isFirst ? histories.slice(0, 1) : histories.slice(1)) {
        const path = label === undefined ? undefined : { label, previous: undefined };
        const first = startDialogue(menu, history, context);
        record(walk, { step: first, path, from: undefined, context, isFirst }, context);
      }
    }
    if (!visitPending(walk)) return undefined;
  }
  return walk.nodes;
}

/** Visits every pending state and effect. Returns false when there are too many. */
function visitPending(walk: Walk): boolean {
  const { pending, visited, space } = walk;
  const { maxVisits = defaultMaxVisits } = space;
  // The visits append to the array that this loop reads.
  for (const visit of pending) {
    const { kind, key, context } = visit;
    const state = kind === 'state' ? visit.state : visit.effect.state;
    // A visit since this one was queued can cover it.
    if (!visited.isNew(key, state, context)) continue;
    if (++walk.visits > maxVisits) return false;
    visited.add(key, state, context);
    const node = nodeAt(walk, key, state.screen);
    if (kind === 'state') visitState(walk, visit, node);
    else if (!visitEffect(walk, visit, node)) return false;
  }
  pending.length = 0;
  return true;
}

function visitState(walk: Walk, { state, path, context, key, equivalentTo }: PendingState, node: Node): void {
  const { menu, inputs } = walk.space;
  const enter = (input: string, inContext: MenuContext): Turn => ({
    step: step(menu, state, input, inContext),
    path: { input, previous: path },
    from: state,
    context: inContext,
  });
  const { followed, checked, back, noticeSensitive } = inputs(state, context);
  if (equivalentTo !== undefined) node.next.add(equivalentTo);
  else {
    for (const input of checked) walk.observe(enter(input, context));
    for (const input of back) record(walk, enter(input, context), context);
  }
  for (const variant of contextVariants(menu, state, context)) {
    for (const input of equivalentTo === undefined ? followed : noticeSensitive) {
      const turn = enter(input, variant);
      const hasEquivalent = isEquivalentRetry(menu, state, turn, context);
      for (const next of record(walk, turn, context, hasEquivalent ? key : undefined)) node.next.add(next);
    }
  }
}

/** Returns false when the effect has too many results. */
function visitEffect(walk: Walk, { effect, turn, context }: PendingEffect, node: Node): boolean {
  const { menu, effectResults } = walk.space;
  const { path: previous, from, context: inContext, isFirst = false } = turn;
  const results = effectResults(effect);
  for (const { result, label } of results ?? []) {
    const next = record(
      walk,
      {
        step: applyEffectResult(menu, effect, result, inContext),
        path: { label, previous },
        from,
        effect: { effect, result },
        context: inContext,
        isFirst,
      },
      context,
    );
    for (const key of next) node.next.add(key);
  }
  return results !== undefined;
}

/** Records a turn and queues the visits that it makes necessary. Returns the keys of the nodes that it leads to. */
function record(walk: Walk, turn: Turn, context: MenuContext, equivalentTo?: string): string[] {
  const { visited, pending } = walk;
  const { isEnd } = walk.observe(turn);
  const state = visited.withoutCaches(turn.step.state);
  const key = visited.keyOf(state, context);
  nodeAt(walk, key, state.screen, isEnd);
  if (turn.step.reply.kind === 'continue' && visited.isNew(key, state, context)) {
    pending.push({ kind: 'state', state, path: turn.path, key, context, equivalentTo });
  }
  const { effect } = turn.step;
  if (effect === undefined) return [key];
  const effectKey = visited.effectKey(effect, context);
  const node = nodeAt(walk, effectKey, effect.state.screen);
  // This step is shown when the merchant's system has no result in time.
  if (effect.kind === 'lookup' || effect.kind === 'proxy') node.next.add(key);
  if (visited.isNew(effectKey, effect.state, context)) {
    pending.push({ kind: 'effect', effect, turn, key: effectKey, context });
  }
  return [key, effectKey];
}

function nodeAt({ nodes }: Walk, key: string, screen: string, isEnd = false): Node {
  const node = nodes.get(key) ?? { screen, next: new Set(), isEnd };
  nodes.set(key, node);
  return node;
}

/**
 * True when a screen is shown again after an invalid input, and its answers lead where they led before. That holds once
 * the input that led to the screen is forgotten, or where the channel never suppresses it as a repeat.
 */
function isEquivalentRetry(menu: Menu, before: MenuState, turn: Turn, { sequenced }: MenuContext): boolean {
  const { state } = turn.step;
  if (state.screen !== before.screen || state.invalidInputs !== before.invalidInputs + 1) return false;
  const neverSuppressed = isBuiltInScreen(state.screen) || screenOf(menu, state.screen)?.kind === 'confirm';
  return sequenced || neverSuppressed || before.invalidInputs > 0;
}

/** Returns the contexts in which the inputs of a screen have different results. */
function contextVariants(menu: Menu, state: MenuState, context: MenuContext): MenuContext[] {
  const kind = screenOf(menu, state.screen)?.kind;
  return kind === 'requests' ? [context, { ...context, blocksRequests: true }] : [context];
}
