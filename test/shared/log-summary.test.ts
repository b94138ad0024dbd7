import { expect, test } from 'vitest';
import { createLogSummary } from '../../src/shared/log-summary.ts';
import { testClock } from '../kit/clock.ts';

function openSummary() {
  const clock = testClock();
  const lines: object[] = [];
  const log = { warn: (line: object) => void lines.push(line) };
  return { clock, lines, summary: createLogSummary({ clock, log }, 'rejected') };
}

test('the first event is logged at once, the following ones once a minute with a count per reason', async () => {
  const { clock, lines, summary } = openSummary();
  for (let n = 0; n < 1_000; n++) summary.record(n % 4 === 0 ? 'a' : 'b', { caller: '192.0.2.1' });
  expect(lines).toEqual([{ reason: 'a', caller: '192.0.2.1' }]);
  await clock.advance(60_000);
  expect(lines.slice(1)).toEqual([{ counts: { a: 249, b: 750 }, samples: [{ caller: '192.0.2.1' }] }]);
  summary.record('b', { caller: '192.0.2.2' });
  await clock.advance(59_999);
  expect(lines).toHaveLength(2);
  await clock.advance(1);
  expect(lines.slice(2)).toEqual([{ counts: { b: 1 }, samples: [{ caller: '192.0.2.2' }] }]);
});

test('after a minute without events, the next event is logged at once', async () => {
  const { clock, lines, summary } = openSummary();
  summary.record('a', {});
  await clock.advance(60_000);
  summary.record('a', { caller: '192.0.2.1' });
  expect(lines).toEqual([{ reason: 'a' }, { reason: 'a', caller: '192.0.2.1' }]);
});

test('a summary contains five different samples at most', async () => {
  const { clock, lines, summary } = openSummary();
  for (let n = 0; n < 100; n++) summary.record('a', { caller: `192.0.2.${n % 50}` });
  await clock.advance(60_000);
  const samples = [1, 2, 3, 4, 5].map((n) => ({ caller: `192.0.2.${n}` }));
  expect(lines.slice(1)).toEqual([{ counts: { a: 99 }, samples }]);
});

test('a stop logs the events that are counted', () => {
  const { lines, summary } = openSummary();
  summary.record('a', {});
  summary.record('b', {});
  summary.stop();
  expect(lines).toEqual([{ reason: 'a' }, { counts: { b: 1 }, samples: [{}] }]);
});
