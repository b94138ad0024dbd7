const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const unitsFromLargest = Object.entries(unitMs).toReversed();

/**
 * Parses `500ms`, `90s`, `10m`, `2h`, `3d` or a sequence of them, such as `1h30m`.
 *
 * @returns milliseconds, or `undefined` when `text` is not a duration.
 */
export function parseDuration(text: string): number | undefined {
  const parts = [...text.matchAll(/(\d{1,9})(ms|[smhd])/g)];
  if (text === '' || parts.map(([part]) => part).join('') !== text) return undefined;
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (unitMs[unit] ?? 0), 0);
}

/**
 * Formats milliseconds as `1h30m`, rounded down to whole seconds.
 *
 * @param maxUnits how many units the result has at most, from the largest one on; smaller ones are dropped.
 */
export function formatDuration(ms: number, maxUnits = unitsFromLargest.length): string {
  let rest = Math.floor(ms / 1_000) * 1_000;
  const counts = unitsFromLargest.map(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return { unit, count };
  });
  const first = counts.findIndex(({ count }) => count > 0);
  if (first < 0) return '0s';
  return counts
    .slice(first, first + maxUnits)
    .flatMap(({ unit, count }) => (count > 0 ? [`${count}${unit}`] : []))
    .join('');
}
