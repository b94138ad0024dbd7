import { InvalidArgumentError } from 'commander';

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Parses `90s`, `10m`, `2h`, `3d` or a sequence of them (`1h30m`), for commander.
 *
 * @returns milliseconds, greater than zero.
 */
export function parseDuration(text: string): number {
  const parts = [...text.matchAll(/(\d{1,9})([smhd])/g)];
  const ms = parts.reduce((sum, [, count, unit]) => sum + Number(count) * (unitMs[String(unit)] ?? 0), 0);
  if (parts.map(([part]) => part).join('') === text && ms > 0) return ms;
  throw new InvalidArgumentError('Expected a time such as 90s, 10m, 2h, 3d or 1h30m.');
}

/** Returns a parser that accepts durations up to `max`. */
export function parseDurationUpTo(max: string): (text: string) => number {
  const maxMs = parseDuration(max);
  return (text) => {
    const ms = parseDuration(text);
    if (ms <= maxMs) return ms;
    throw new InvalidArgumentError(`At most ${max}.`);
  };
}

/** Formats milliseconds as `1h30m`, rounded down to whole seconds. */
export function formatDuration(ms: number): string {
  let restMs = Math.floor(ms / 1_000) * 1_000;
  const parts = Object.entries(unitMs)
    .toReversed()
    .flatMap(([unit, each]) => {
      const count = Math.floor(restMs / each);
      restMs -= count * each;
      return count > 0 ? [`${count}${unit}`] : [];
    });
  return parts.join('') || '0s';
}
