import { type AmountMinor, amountMinor, maxAmountMinor } from '../../shared/money.ts';
import type { AmountBound, AmountScreen } from '../schema.ts';
import type { Answers } from './state.ts';

/** The smallest and the largest valid amount; `max` is below `min` when no amount is valid. */
export type AmountBounds = { readonly min: AmountMinor; readonly max: AmountMinor };

/**
 * Returns the bounds of a question for these answers. A part of a value is rounded so that it does not exceed the bound. A
 * bound without a value is that of every collection; `menu check` reports it.
 */
export function resolveBounds({ min, max }: AmountScreen, answers: Answers): AmountBounds {
  const lowest = resolveBound(min, answers, Math.ceil) ?? 1;
  const highest = resolveBound(max, answers, Math.floor) ?? maxAmountMinor;
  return { min: amountMinor(Math.max(1, lowest)), max: amountMinor(Math.min(maxAmountMinor, highest)) };
}

function resolveBound(
  bound: AmountBound,
  answers: Answers,
  round: (amount: number) => number,
): number | undefined {
  if (typeof bound === 'number') return bound;
  const value = boundingAmount(bound.from, answers);
  return value === undefined ? undefined : round(value / bound.divisor);
}

function boundingAmount(name: string, { amountMinor: amount, values }: Answers): number | undefined {
  if (name === 'amount') return amount;
  const value = values !== undefined && Object.hasOwn(values, name) ? values[name] : undefined;
  return typeof value === 'object' && 'amountMinor' in value ? value.amountMinor : undefined;
}

/** Returns the names in the bounds of a question. */
export function boundNames({ min, max }: AmountScreen): string[] {
  return [min, max].flatMap((bound) => (typeof bound === 'number' ? [] : bound.from));
}
