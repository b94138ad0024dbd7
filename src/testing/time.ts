const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Parses `500ms`, `30s`, `6m` or `2h` into milliseconds; `undefined` for an invalid time. */
export function readTime(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,6})(ms|s|m|h)$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * (unitMs[unit] ?? 0);
}
