import type { Kind } from './channel.ts';
import type { Finding } from './finding.ts';

/** A text that was shown. */
export type Shown = {
  readonly screen: string;
  readonly language: string;
  readonly septets: number;
  readonly inputs: readonly string[];
  readonly answered: readonly string[];
  readonly path: readonly (string | number)[];
};

/** The longest text that channels with one limit show. */
export type Longest = Shown & {
  readonly limit: number;
  /** Some screen is divided, or goes without the offer to go back: with other values its pages may fill the limit. */
  readonly isTight: boolean;
};

/** The longest text of each screen in each language. */
export type Lengths = Map<string, Shown>;

export function longestOf(lengths: Lengths): Shown | undefined {
  return [...lengths.values()].reduce<Shown | undefined>(
    (longest, one) => (longest === undefined || one.septets > longest.septets ? one : longest),
    undefined,
  );
}

/** What channels with one limit show. */
export type Measured = { kind: Kind; limit: number; channels: readonly string[]; lengths: Lengths };

const maxNames = 3;

/** One finding for each screen and language that some channel shows cut, with all limits that it exceeds. */
export function findTooLong(measured: readonly Measured[]): Finding[] {
  const worst = new Map<string, Shown>();
  const overs = new Map<string, Map<number, Over>>();
  for (const { limit, channels, lengths } of [...measured].sort((a, b) => a.limit - b.limit)) {
    for (const [key, shown] of lengths) {
      const by = shown.septets - limit;
      if (by <= 0) continue;
      if (shown.septets > (worst.get(key)?.septets ?? 0)) worst.set(key, shown);
      const byLimit = overs.get(key) ?? new Map<number, Over>();
      const known = byLimit.get(limit) ?? { by: 0, channels: [] };
      byLimit.set(limit, { by: Math.max(by, known.by), channels: [...known.channels, ...channels] });
      overs.set(key, byLimit);
    }
  }
  return [...worst].map(([key, { screen, language, septets, inputs, answered, path }]) => {
    const told = [...(overs.get(key) ?? [])].map(
      ([limit, { by, channels }]) => `${by} over ${limit} (${namesOf(channels)})`,
    );
    const message = `${septets} septets, ${told.join(', ')}`;
    return { kind: 'too_long', screen, language, message, inputs, answered, path };
  });
}

type Over = { by: number; channels: readonly string[] };

function namesOf(channels: readonly string[]): string {
  const names = [...new Set(channels)];
  const named = names.slice(0, maxNames).join(', ');
  return names.length > maxNames ? `${named} and ${names.length - maxNames} more` : named;
}
