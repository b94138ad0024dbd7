import type { EpochMs } from './clock.ts';
import { attempt } from './errors.ts';

/** A date and a time of day in a time zone, to the minute: `2026-03-07T18:00`. Equal and ordered as texts. */
export type LocalTime = string;

/** The time zone of merchants that name none. */
export const defaultTimeZone = 'Africa/Accra';

const formats = new Map<string, Intl.DateTimeFormat>();

/** Formats a time. Each format is made once: the making takes as long as a hundred uses. */
export function formatTime(at: EpochMs, locale: string, options: Intl.DateTimeFormatOptions): string {
  const key = JSON.stringify([locale, options]);
  const format = formats.get(key) ?? new Intl.DateTimeFormat(locale, options);
  formats.set(key, format);
  return format.format(at);
}

/** Returns the date and time of day in a time zone such as `Africa/Accra`. */
export function localTimeAt(at: EpochMs, timeZone: string): LocalTime {
  // The Swedish format is the one of ISO 8601, with a blank for the T.
  return formatTime(at, 'sv-SE', {
    ...{ timeZone, hourCycle: 'h23', year: 'numeric', month: '2-digit' },
    ...{ day: '2-digit', hour: '2-digit', minute: '2-digit' },
  }).replace(' ', 'T');
}

/** Formats a time as `2026-03-06 09:00:01.500`, in UTC, which is Ghana's time all year, or in another time zone. Zones differ by whole minutes. */
export function showTime(at: EpochMs, timeZone = defaultTimeZone): string {
  return localTimeAt(at, timeZone).replace('T', ' ') + new Date(at).toISOString().slice(16, 23);
}

/** Returns the time zone that merchants have in common; undefined for Ghana's, and when theirs differ. */
export function commonZone(
  merchantIds: Iterable<string>,
  zones: Readonly<Record<string, string>> = {},
): string | undefined {
  const [only, ...others] = new Set([...merchantIds].map((id) => zones[id]));
  return others.length === 0 ? only : undefined;
}

/** Returns the time of a local time in a time zone. An hour that the zone skips is the one after it. */
export function timeOf(local: LocalTime, timeZone: string): EpochMs {
  const utc = Date.parse(`${local}Z`);
  const offsetAt = (at: EpochMs) => Date.parse(`${localTimeAt(at, timeZone)}Z`) - at;
  return utc - offsetAt(utc - offsetAt(utc));
}

export const timeZoneExpected = 'expected a time zone such as Africa/Accra';

/** True for the name of a time zone, such as `Africa/Accra` or `UTC`. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Z][A-Za-z0-9_+/-]{1,63}$/.test(name)) return false;
  return attempt(() => new Intl.DateTimeFormat('en', { timeZone: name })) !== undefined;
}

/** Returns the merchants whose time zone is known and is not the default one. */
export function findOtherZones(
  zones: readonly (readonly [merchantId: string | undefined, timeZone: string | undefined])[],
): Record<string, string> {
  return Object.fromEntries(
    zones.filter(([, zone = defaultTimeZone]) => zone !== defaultTimeZone && isTimeZone(zone)),
  ) as Record<string, string>;
}

const dayMs = 24 * 3_600_000;

/** Returns the date that is `days` days after a date such as `2026-03-07`. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * dayMs).toISOString().slice(0, 10);
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const unitsDescending = Object.entries(unitMs).toReversed();

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
export function formatDuration(ms: number, maxUnits = unitsDescending.length): string {
  let rest = Math.floor(ms / 1_000) * 1_000;
  const counts = unitsDescending.map(([unit, size]) => {
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
