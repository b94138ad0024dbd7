import { type AskScreen, getMinCount, type Menu } from '../../../menu/schema.ts';
import { confirmKeys } from '../../../menu/screens/draw.ts';
import { listOptions, optionNumbers } from '../../../menu/screens/options.ts';
import { findScreen, offerKeys } from '../../../menu/screens/screen.ts';
import { resolveBounds } from '../../../menu/state/answer.ts';
import type { MenuContext, MenuState } from '../../../menu/state/state.ts';
import { startDialogue, step } from '../../../menu/state/step.ts';
import { formatCedis } from '../../../shared/money.ts';
import { localForm } from '../../../shared/msisdn.ts';

type Visit = { readonly state: MenuState; readonly inputs: readonly string[] };

/** Menus in use need a few hundred. */
const maxVisits = 5_000;

/**
 * Returns the inputs of a shortest dialogue in which a dialler without a history confirms a payment, with the lowest amounts that
 * the menu accepts. Lookups and proxy screens have no answer, so that a menu which cannot be paid without them has none.
 *
 * @returns `undefined` when there is no such dialogue, or none among the first 5,000 states.
 */
export function findPaymentInputs(menu: Menu, context: MenuContext): readonly string[] | undefined {
  const pending: Visit[] = [{ state: startDialogue(menu, {}, context).state, inputs: [] }];
  const seen = new Set<string>();
  // The visits append to the array that this loop reads.
  for (const { state, inputs } of pending) {
    if (seen.size > maxVisits) return undefined;
    const { lastInput = '' } = state;
    // A channel without sequence numbers suppresses a repeat of the last input once.
    for (const input of new Set([
      ...inputsOn(menu, state, context),
      ...menu.keys.more.slice(0, 1),
      lastInput,
    ])) {
      const next = step(menu, state, input, context);
      // A confirmation asks whether the same payment was made before. A new dialler has made none.
      if (next.intent || next.effect?.kind === 'duplicate') return [...inputs, input];
      if (next.reply.kind === 'end' || next.state.invalidInputs > 0) continue;
      const key = toKey(next.state);
      if (seen.has(key)) continue;
      seen.add(key);
      pending.push({ state: next.state, inputs: [...inputs, input] });
    }
  }
  return undefined;
}

/** Returns a key that is equal for states that lead to the same payments. */
function toKey({ screen, page, answers, notice, lastInput }: MenuState): string {
  return JSON.stringify([screen, page, notice, lastInput, answers]);
}

function inputsOn(menu: Menu, state: MenuState, context: MenuContext): string[] {
  const screen = findScreen(menu, state.screen);
  switch (screen?.kind) {
    case 'choose':
      return optionNumbers(listOptions(screen, state, context).length, menu.keys);
    case 'ask':
      return [typicalAnswer(screen, state, context)];
    case 'language':
      return offerKeys(menu.languages.length, state, context);
    case 'confirm':
      return [confirmKeys(state).yes];
    default:
      return [];
  }
}

function typicalAnswer(screen: AskScreen, { answers }: MenuState, { dialler }: MenuContext): string {
  switch (screen.answer) {
    case 'amount':
      return formatCedis(resolveBounds(screen, answers).min).replace('GHS ', '');
    case 'msisdn':
      return localForm(dialler);
    case 'number':
      return String(getMinCount(screen));
    default:
      return screen.example ?? 'A';
  }
}
