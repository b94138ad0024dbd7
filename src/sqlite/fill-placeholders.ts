import { Column, is, Param, Placeholder } from 'drizzle-orm';
import type { SqlValue } from './store.ts';

type Values = Record<string, unknown>;

/** A parameter of a statement: a constant, or the name of its value and the conversion of its column. */
type Slot = { value: unknown } | { name: string; encode?: (value: unknown) => unknown };

/**
 * Creates a function that fills the placeholders of a statement. Drizzle's own function finds out for each parameter what it
 * is, each time.
 *
 * @throws Error from the function that is returned, for a placeholder without a value.
 */
export function createFill(params: readonly unknown[]): (values: Values) => SqlValue[] {
  const slots = params.map(toSlot);
  return (values) =>
    slots.map((slot) => {
      if ('value' in slot) return slot.value;
      const value = values[slot.name];
      if (value === undefined) throw new Error(`no value for the placeholder ${slot.name}`);
      return slot.encode ? slot.encode(value) : value;
    }) as SqlValue[];
}

function toSlot(param: unknown): Slot {
  if (is(param, Placeholder)) return { name: param.name };
  if (is(param, Param) && is(param.value, Placeholder)) {
    const { encoder, value } = param;
    // Most columns store a value as it is.
    if (encoder.mapToDriverValue === Column.prototype.mapToDriverValue) return { name: value.name };
    return { name: value.name, encode: (given) => encoder.mapToDriverValue(given) };
  }
  return { value: param };
}
