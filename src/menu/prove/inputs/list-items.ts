import { gsmSeptetsOf } from '../../../shared/screen-text.ts';
import type { Menu, Option } from '../../schema.ts';
import type { Item, Scalar } from '../../state/value.ts';
import { showValue } from '../../text/format.ts';
import { itemTemplateValues } from '../../text/render.ts';
import { distinctionsOf, qualified, valueClass } from '../walk/distinctions.ts';

/**
 * Creates the function that returns whether an item of an option's own list stands for others: no condition distinguishes it
 * from an item whose fields are all at least as long. Every text is then at least as long with that item.
 */
export function createIsCovered(menu: Menu): (option: Option, item: object) => boolean {
  const distinctions = distinctionsOf(menu);
  const known = new Map<Option, ReadonlySet<string>>();

  function keptOf(option: Option): ReadonlySet<string> {
    const classOf = (item: Item) =>
      Object.entries(item)
        .map(([field, value]) => valueClass(value, distinctions(qualified(`item.${field}`, option.each))))
        .join();
    const kept: { item: Item; key: string; lengths: number[] }[] = [];
    for (const item of option.list ?? []) {
      const one = { item, key: classOf(item), lengths: Object.values(item).flatMap(lengthsOf) };
      if (kept.some((other) => other.key === one.key && isAtLeast(other.lengths, one.lengths))) continue;
      const others = kept.filter(
        (other) => !(other.key === one.key && isAtLeast(one.lengths, other.lengths)),
      );
      kept.splice(0, kept.length, ...others, one);
    }
    return new Set(kept.map(({ item }) => JSON.stringify(itemTemplateValues(item))));
  }

  return (option, item) => {
    if (option.list === undefined) return false;
    const kept = known.get(option) ?? keptOf(option);
    known.set(option, kept);
    return !kept.has(JSON.stringify(item));
  };
}

/**
 * The characters and the septets of a value in each format whose length is not that of another one, and the amount itself: a
 * question for a count can multiply it.
 */
function lengthsOf(value: Scalar): number[] {
  const amount = typeof value === 'object' && 'amountMinor' in value ? [value.amountMinor] : [];
  const texts = [undefined, 'words', 'number'].map((format) => showValue(value, format));
  return [...amount, ...texts.flatMap((text) => [text.length, gsmSeptetsOf(text)])];
}

function isAtLeast(some: readonly number[], others: readonly number[]): boolean {
  return some.every((length, i) => length >= (others[i] ?? 0));
}
