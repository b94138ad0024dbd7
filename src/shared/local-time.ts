import type { EpochMs } from './clock.ts';

/** A date and a time of day in a time zone, to the minute: `2026-03-07T18:00`. Equal and ordered as texts. */
export type LocalTime = string;

/** The time zone of merchants that name none. */
export const defaultTimeZone = 'Africa/Accra';

const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns the date and time of day in a time zone such as `Africa/Accra`. */
export function localTimeAt(at: EpochMs, timeZone: string): LocalTime {
  let format = formats.get(timeZone);
  if (format === undefined) {
    // The Swedish format is the one of ISO 8601, with a blank for the T.
    format = new Intl.DateTimeFormat('sv-SE', {
      ...{ timeZone, hourCycle: 'h23', year: 'numeric', month: '2-digit' },
      ...{ day: '2-digit', hour: '2-digit', minute: '2-digit' },
    });
    formats.set(timeZone, format);
  }
  return format.format(at).replace(' ', 'T');
}

export const timeZoneExpected = 'expected a time zone such as Africa/Accra';

/** True for the name of a time zone, such as `Africa/Accra` or `UTC`. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Z][A-Za-z0-9_+/-]{1,63}$/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

const dayMs = 24 * 3_600_000;

/** Returns the date that is `days` days after a date such as `2026-03-07`. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * dayMs).toISOString().slice(0, 10);
}
