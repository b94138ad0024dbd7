import type { Finding } from './finding.ts';

/** The longest form of a screen or message, with the inputs and assumptions that lead to it. */
export type ShownText = {
  readonly screen: string;
  readonly language: string;
  readonly septets: number;
  readonly inputs: readonly string[];
  readonly assumptions: readonly string[];
  /** The text in the menu file. */
  readonly path: readonly (string | number)[];
};

/** The longest text on channels with one limit. */
export type LongestText = ShownText & {
  readonly limit: number;
  /** A screen is split across pages, or lacks its key for going back. Its pages can fill the limit with other values. */
  readonly isPaged: boolean;
};

/** The longest text of each screen in each language. */
export type Lengths = Map<string, ShownText>;

export function findLongest(texts: readonly ShownText[]): ShownText | undefined {
  return texts.reduce<ShownText | undefined>(
    (longest, one) => (longest === undefined || one.septets > longest.septets ? one : longest),
    undefined,
  );
}

/** The texts on channels that differ only in their names. */
export type MeasuredLimit = {
  readonly limit: number;
  /** The names of the channels. */
  readonly channels: readonly string[];
  readonly lengths: Lengths;
} & Pick<LongestText, 'isPaged'>;

type Excess = { readonly septets: number; readonly channels: readonly string[] };

/** Returns one finding for each screen and language that exceeds a limit, with all limits that it exceeds. */
export function findTooLong(measured: readonly MeasuredLimit[]): Finding[] {
  const longest = new Map<string, ShownText>();
  const excesses = new Map<string, Map<number, Excess>>();
  for (const { limit, channels, lengths } of [...measured].sort((a, b) => a.limit - b.limit)) {
    for (const [key, text] of lengths) {
      const excess = text.septets - limit;
      if (excess <= 0) continue;
      if (text.septets > (longest.get(key)?.septets ?? 0)) longest.set(key, text);
      const byLimit = excesses.get(key) ?? new Map<number, Excess>();
      const known = byLimit.get(limit) ?? { septets: 0, channels: [] };
      byLimit.set(limit, {
        septets: Math.max(excess, known.septets),
        channels: [...known.channels, ...channels],
      });
      excesses.set(key, byLimit);
    }
  }
  return [...longest].map(([key, { septets, ...text }]) => {
    const limits = [...(excesses.get(key) ?? [])].map(
      ([limit, excess]) => `${excess.septets} over ${limit} (${formatNames(excess.channels)})`,
    );
    return { kind: 'too_long', ...text, message: `${septets} septets, ${limits.join(', ')}` };
  });
}

const maxNames = 3;

function formatNames(channels: readonly string[]): string {
  const names = [...new Set(channels)];
  const shown = names.slice(0, maxNames).join(', ');
  return names.length > maxNames ? `${shown} and ${names.length - maxNames} more` : shown;
}
