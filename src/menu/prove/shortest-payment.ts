import type { Menu } from '../schema.ts';
import { startDialogue } from '../state/start-dialogue.ts';
import type { MenuContext, MenuState } from '../state/state.ts';
import { step } from '../state/step.ts';
import { createInputs } from './inputs/inputs.ts';

type Visit = { readonly state: MenuState; readonly inputs: readonly string[] };

/** Menus in use need a few hundred. */
const maxVisits = 5_000;

/**
 * Returns the inputs of a shortest dialogue in which a dialler without a history confirms a payment, with the lowest amounts that
 * the menu accepts. Lookups and proxy screens have no answer, so that a menu which cannot be paid without them has none.
 *
 * @returns `undefined` when there is no such dialogue, or none among the first 5,000 states.
 */
export function shortestPayment(menu: Menu, context: MenuContext): readonly string[] | undefined {
  const inputsOf = createInputs(menu, []);
  const pending: Visit[] = [{ state: startDialogue(menu, {}, context).state, inputs: [] }];
  const seen = new Set<string>();
  // The visits append to the array that this loop reads.
  for (const { state, inputs } of pending) {
    if (seen.size > maxVisits) return undefined;
    const { checked, followed } = inputsOf(state, context);
    for (const input of new Set([...checked, ...followed])) {
      const next = step(menu, state, input, context);
      // A confirmation asks whether the same payment was made before. A new dialler has made none.
      if (next.intent || next.effect?.kind === 'duplicate') return [...inputs, input];
      if (next.reply.kind === 'end' || next.state.invalidInputs > 0) continue;
      const key = keyOf(next.state);
      if (seen.has(key)) continue;
      seen.add(key);
      pending.push({ state: next.state, inputs: [...inputs, input] });
    }
  }
  return undefined;
}

/** What decides which payments a state leads to. */
function keyOf({ screen, page, answers, notice, lastInput }: MenuState): string {
  return JSON.stringify([screen, page, notice, lastInput, answers]);
}
