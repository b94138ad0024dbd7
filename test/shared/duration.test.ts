import { expect, test, vi } from 'vitest';
import { commonZone, formatDuration, formatTime, parseDuration } from '../../src/shared/time-text.ts';

test.each([
  ['0s', 0, '0s'],
  ['90s', 90_000, '1m30s'],
  ['10m', 600_000, '10m'],
  ['2h', 7_200_000, '2h'],
  ['3d', 259_200_000, '3d'],
  ['1h30m', 5_400_000, '1h30m'],
  ['1d1h1m1s', 90_061_000, '1d1h1m1s'],
  ['1s500ms', 1_500, '1s'],
])('%s is %i ms, and is formatted as %s', (text, ms, formatted) => {
  expect(parseDuration(text)).toBe(ms);
  expect(formatDuration(ms)).toBe(formatted);
});

test.each([
  [90_061_000, '1d1h'],
  [86_461_000, '1d'],
  [3_900_000, '1h5m'],
  [3_605_000, '1h'],
  [999, '0s'],
])('%i ms is formatted in its two largest units as %s', (ms, formatted) => {
  expect(formatDuration(ms, 2)).toBe(formatted);
});

test.each(['', '10', 'm', '1.5h', '-1m', '10 m', '1h junk', '9'.repeat(30).concat('s')])(
  '%j is not a duration',
  (text) => {
    expect(parseDuration(text)).toBeUndefined();
  },
);

test('a format of times is made once, for each zone', () => {
  const made = vi.spyOn(Intl, 'DateTimeFormat');
  const show = (at: number, timeZone: string) =>
    formatTime(at, 'en-GB', { month: 'long', day: 'numeric', hour: 'numeric', timeZone });
  const shown = [0, 1, 2, 3].map((day) => show(day * 86_400_000, 'Africa/Lagos'));
  expect(shown).toEqual(['1 January at 01', '2 January at 01', '3 January at 01', '4 January at 01']);
  expect(show(0, 'Africa/Kampala')).toBe('1 January at 03');
  expect(made).toHaveBeenCalledTimes(2);
  made.mockRestore();
});

test('merchants have a time zone in common when theirs are equal', () => {
  const zones = { lagos: 'Africa/Lagos', kano: 'Africa/Lagos', kigali: 'Africa/Kigali' };
  expect(commonZone(['lagos', 'kano', 'lagos'], zones)).toBe('Africa/Lagos');
  for (const mixed of [['lagos', 'kigali'], ['lagos', 'accra'], ['accra'], []])
    expect(commonZone(mixed, zones)).toBeUndefined();
});
