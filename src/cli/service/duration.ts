import { InvalidArgumentError } from 'commander';

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads `90s`, `10m`, `2h`, `3d` or several of them together (`1h30m`), for commander; the answer is milliseconds. */
export function duration(text: string): number {
  const parts = [...text.matchAll(/(\d{1,9})([smhd])/g)];
  const ms = parts.reduce((sum, [, count, unit]) => sum + Number(count) * (unitMs[String(unit)] ?? 0), 0);
  if (parts.map(([part]) => part).join('') === text && ms > 0) return ms;
  throw new InvalidArgumentError('Expected a time such as 90s, 10m, 2h, 3d or 1h30m.');
}

/** Reads a time that is no longer than `longest`, for commander. */
export function durationUpTo(longest: string): (text: string) => number {
  const most = duration(longest);
  return (text) => {
    const ms = duration(text);
    if (ms <= most) return ms;
    throw new InvalidArgumentError(`At most ${longest}.`);
  };
}

/** A time in milliseconds in the same words: `1h30m`. */
export function shownDuration(ms: number): string {
  let left = Math.floor(ms / 1_000) * 1_000;
  const parts = Object.entries(unitMs)
    .toReversed()
    .flatMap(([unit, each]) => {
      const count = Math.floor(left / each);
      left -= count * each;
      return count > 0 ? [`${count}${unit}`] : [];
    });
  return parts.join('') || '0s';
}
