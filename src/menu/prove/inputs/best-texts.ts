import { gsmSeptetsOf } from '../../../shared/screen-text.ts';

/** A text and its septets. */
type Measured = { readonly text: string; readonly septets: number };

/** For each length, up to a number of texts of that length, those with the most septets first. */
export type BestTexts = readonly (readonly Measured[])[];

/** The maximum of a reference in the service's interface. Longer texts are left out. */
const maxLength = 64;

export const emptyText: BestTexts = [[{ text: '', septets: 0 }]];

/** Returns the operations on the `kept` texts of each length. Texts that differ only in their case count as one. */
export function bestTextsOf(kept: number) {
  function oneOf(characters: readonly string[]): BestTexts {
    const best = createBest(kept);
    for (const text of characters) best.add(text, gsmSeptetsOf(text));
    return [[], best.sorted()];
  }

  function either(some: BestTexts, others: BestTexts): BestTexts {
    return lengthsUpTo(Math.max(some.length, others.length) - 1).map((length) => {
      const best = createBest(kept);
      for (const { text, septets } of [...(some[length] ?? []), ...(others[length] ?? [])]) {
        best.add(text, septets);
      }
      return best.sorted();
    });
  }

  function concatenate(heads: BestTexts, tails: BestTexts): BestTexts {
    const longest = Math.min(maxLength, heads.length + tails.length - 2);
    return lengthsUpTo(longest).map((length) => {
      const best = createBest(kept);
      for (const at of lengthsUpTo(length)) addPairs(best, heads[at] ?? [], tails[length - at] ?? []);
      return best.sorted();
    });
  }

  /** Multiplies by squaring: the number of concatenations is logarithmic in `count`. */
  function power(texts: BestTexts, count: number): BestTexts {
    if (count === 0) return emptyText;
    const half = power(texts, Math.floor(count / 2));
    const even = concatenate(half, half);
    return count % 2 === 0 ? even : concatenate(even, texts);
  }

  function repeat(texts: BestTexts, min: number, max: number): BestTexts {
    return concatenate(power(texts, min), power(either(emptyText, texts), Math.max(0, max - min)));
  }

  return { oneOf, either, concatenate, repeat };
}

/** Adds the pairs that can be among the best. Both lists are sorted, so the others of a row are no better. */
function addPairs(best: Best, heads: readonly Measured[], tails: readonly Measured[]): void {
  for (const head of heads) {
    for (const tail of tails) {
      if (!best.improvesWith(head.septets + tail.septets)) break;
      best.add(head.text + tail.text, head.septets + tail.septets);
    }
  }
}

type Best = ReturnType<typeof createBest>;

function createBest(kept: number) {
  const sorted: Measured[] = [];
  const septetsOf = new Map<string, number>();

  function improvesWith(septets: number): boolean {
    return sorted.length < kept || septets > (sorted.at(-1)?.septets ?? 0);
  }

  function remove(at: number): void {
    for (const { text } of sorted.splice(at, 1)) septetsOf.delete(text.toLowerCase());
  }

  return {
    improvesWith,
    add(text: string, septets: number): void {
      const key = text.toLowerCase();
      const known = septetsOf.get(key);
      if (!improvesWith(septets) || (known !== undefined && known >= septets)) return;
      if (known !== undefined) remove(sorted.findIndex((one) => one.text.toLowerCase() === key));
      const at = sorted.findIndex((one) => one.septets < septets);
      sorted.splice(at < 0 ? sorted.length : at, 0, { text, septets });
      septetsOf.set(key, septets);
      if (sorted.length > kept) remove(sorted.length - 1);
    },
    sorted: (): readonly Measured[] => sorted,
  };
}

function lengthsUpTo(longest: number): number[] {
  return [...Array(Math.max(0, longest + 1)).keys()];
}
