/* The payer whom `dialtill trigger` simulates: how the payment ends, and what the payer types. */

import { type MagicName, magicNumbers } from '../../../contract/service/magic-numbers.ts';
import type { DatabaseLocation } from '../../../gateway/database/database-location.ts';
import type { PaymentEvent } from '../../../gateway/notify/payment-events.ts';
import { eventsOfCollection } from '../../../gateway/notify/replay-query.ts';
import { findLastCollection } from '../../../gateway/support/collection-query.ts';
import { type AskScreen, getMinCount, type Menu } from '../../../menu/schema.ts';
import { confirmKeys } from '../../../menu/screens/draw.ts';
import { listOptions, optionNumbers } from '../../../menu/screens/options.ts';
import { findScreen, offerKeys } from '../../../menu/screens/screen.ts';
import { resolveBounds } from '../../../menu/state/answer.ts';
import type { MenuContext, MenuState } from '../../../menu/state/state.ts';
import { startDialogue, step } from '../../../menu/state/step.ts';
import type { Clock } from '../../../shared/clock.ts';
import { formatCedis } from '../../../shared/money.ts';
import { localForm, type Msisdn } from '../../../shared/msisdn.ts';
import { readLedger } from '../../open-reads.ts';

type TriggeredEvent = 'payment.opened' | 'payment.paid' | 'payment.not_paid' | 'payment.review_opened';

/** An event that a simulated payer brings about, and the ending of the payer's number. */
export type TriggeredOutcome = {
  readonly event: TriggeredEvent;
  /** As the option `--reason` names it: the name of the magic number, which is the `reason` of the notification if it has one. */
  readonly reason: MagicName;
  /** The `review` of the notification, which names a wrong amount in one word. */
  readonly review?: 'amount_mismatch' | 'second_charge';
  readonly ending: string;
  readonly what: string;
};

/** The cases of each event that end within a minute. The first one is what the event means without a reason. */
const cases = {
  'payment.opened': ['paid'],
  'payment.paid': ['paid', 'rail_slow', 'rail_unknown'],
  'payment.not_paid': [
    ...(['declined', 'cancelled', 'pin_limit', 'insufficient_funds', 'limit_exceeded'] as const),
    ...(['wallet_not_registered', 'network_down', 'prompt_expired'] as const),
  ],
  'payment.review_opened': ['paid_short', 'paid_over', 'second_charge'],
} as const satisfies Record<TriggeredEvent, readonly MagicName[]>;

const reviews: Partial<Record<MagicName, TriggeredOutcome['review']>> = {
  paid_short: 'amount_mismatch',
  paid_over: 'amount_mismatch',
  second_charge: 'second_charge',
};

export const outcomes: readonly TriggeredOutcome[] = (Object.keys(cases) as TriggeredEvent[]).flatMap(
  (event) =>
    cases[event].map((reason): TriggeredOutcome => {
      const { ending = '', behaviour: what = '' } = magicNumbers.find(({ name }) => name === reason) ?? {};
      const review = event === 'payment.review_opened' ? reviews[reason] : undefined;
      return { event, reason, ...(review && { review }), ending, what };
    }),
);

/** Returns the outcome of an event, the first one without a reason; `undefined` when there is none. */
export function findOutcome(event: string, reason: string | undefined): TriggeredOutcome | undefined {
  return outcomes.find(
    (one) => one.event === event && (reason === undefined || one.reason === reason || one.review === reason),
  );
}

/** The payment of a phone so far, with its events in their order. */
export type Triggered = { collectionId: string; events: readonly PaymentEvent[] };

const pollMs = 500;

/**
 * Waits until the newest payment of a phone has an event of this type.
 *
 * @returns the payment at the end of the wait, with or without the event; `undefined` when the phone has none.
 * @throws UserError when the ledger cannot be read.
 */
export async function awaitEvent(
  database: DatabaseLocation,
  clock: Clock,
  { dialler, type, waitMs }: { dialler: Msisdn; type: string; waitMs: number },
): Promise<Triggered | undefined> {
  const deadline = clock.now() + waitMs;
  for (;;) {
    const found = await readEvents(database, dialler);
    const isOver = found?.events.some((event) => event.type === type) || clock.now() >= deadline;
    if (isOver) return found;
    await clock.sleep(pollMs);
  }
}

/** A reader sees the ledger as it was when it was opened. */
function readEvents(database: DatabaseLocation, dialler: Msisdn): Promise<Triggered | undefined> {
  return readLedger(database, async (store) => {
    const collectionId = await findLastCollection(store, dialler);
    return collectionId === undefined
      ? undefined
      : { collectionId, events: await eventsOfCollection(store, collectionId) };
  });
}

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
