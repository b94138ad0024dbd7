import { applyEffectResult } from '../../src/menu/effects/apply-result.ts';
import type { Menu } from '../../src/menu/schema.ts';
import type {
  CallerHistory,
  Effect,
  EffectResult,
  LookupAnswer,
  LookupRequest,
  MenuContext,
  PaymentSummary,
  Quote,
  QuoteRequest,
  Step,
} from '../../src/menu/state/state.ts';
import { startDialogue, step } from '../../src/menu/state/step.ts';
import { amountMinor } from '../../src/shared/money.ts';
import { context } from './support.ts';

/* A conversation of a payer with a menu, without a gateway: the test gives the caller history and the answers to effects. */

/** What a menu learns from the world around it. */
export type World = {
  /** What differs from the payer's own phone on a channel with numbered requests. */
  context?: Partial<MenuContext>;
  history?: CallerHistory;
  quote?: (request: QuoteRequest) => Quote | 'rejected' | undefined;
  /** The earlier payment that equals a confirmed one. */
  duplicate?: PaymentSummary;
  /** The payment that an attendant asks about. */
  status?: PaymentSummary;
  lookup?: (request: LookupRequest) => LookupAnswer;
};

/** A quote with the service's fee of one percent. */
export const quoted = ({ amountMinor: price, reference }: QuoteRequest): Quote => ({
  id: `quote of ${price}`,
  reference: reference ?? '4821 7362',
  feeMinor: price / 100,
  totalMinor: price + price / 100,
});

/** A payment of GHS 20.00 by the payer's own phone, paid now. */
export const payment: PaymentSummary = {
  id: 'col_1',
  payer: context.dialler,
  dialler: context.dialler,
  amountMinor: amountMinor(2_000),
  shownTotalMinor: 2_020,
  chargeMinor: 2_020,
  shortReference: '48217362',
  at: context.now,
  state: 'paid',
};

/**
 * Dials and types the inputs. An input that is the label of an option on the screen is the key of that option. Every effect
 * gets the answer of the world at once.
 */
export function converse(menu: Menu, inputs: readonly string[] = [], world: World = {}): Step {
  return proceed(menu, startDialogue(menu, world.history ?? {}, contextOf(world)), inputs, world);
}

/** Types further inputs after a step. */
export function proceed(menu: Menu, from: Step, inputs: readonly string[], world: World = {}): Step {
  const known = contextOf(world);
  let at = answered(menu, from, world);
  for (const input of inputs) {
    at = answered(menu, step(menu, at.state, keyOf(at, input) ?? input, known), world);
  }
  return at;
}

/** The key of an option on the screen; `undefined` when no option has this label. */
export function keyOf({ reply }: Step, label: string): string | undefined {
  return optionsOf(reply.text).find(([, of]) => of === label)?.[0];
}

/** The labels of the options on a screen. */
export const offers = ({ reply }: Step): string[] => optionsOf(reply.text).map(([, label]) => label);

const optionsOf = (text: string) =>
  Array.from(text.matchAll(/^(\d|#)\. (.*)$/gm), ([, key = '', label = '']) => [key, label] as const);

/** More effects than one input of any menu in these tests has. */
const maxEffects = 16;

const contextOf = (world: World): MenuContext => ({ ...context, ...world.context });

function answered(menu: Menu, first: Step, world: World): Step {
  let at = first;
  for (let effects = 0; at.effect; effects++) {
    if (effects === maxEffects) throw new Error('the step has effects without end');
    const { preferences } = at;
    const next = applyEffectResult(menu, at.effect, resultOf(at.effect, world), contextOf(world));
    at = preferences ? { ...next, preferences: [...preferences, ...(next.preferences ?? [])] } : next;
  }
  return at;
}

function resultOf(effect: Effect, world: World): EffectResult {
  switch (effect.kind) {
    case 'quote':
      return { kind: 'quote', quote: (world.quote ?? quoted)(effect.request) };
    case 'duplicate':
      return { kind: 'duplicate', found: world.duplicate };
    case 'status':
      return { kind: 'status', found: world.status };
    default:
      return { kind: effect.kind, answer: world.lookup?.(effect.request) ?? { kind: 'none' } };
  }
}
