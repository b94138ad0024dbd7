import { expect, test } from 'vitest';
import { isSampled } from '../../../src/gateway/dialogue/sample-turns.ts';
import { systemIds } from '../../../src/shared/ids.ts';
import { testClock } from '../../kit/clock.ts';

const ids = systemIds(testClock());
const dialogues = Array.from({ length: 4_000 }, () => ids.next('dlg'));

test.each([0, 0.1, 0.5, 1])('about %d of the dialogues are logged, each one or not at all', (share) => {
  const logged = dialogues.filter((id) => isSampled(id, share));
  expect(Math.abs(logged.length / dialogues.length - share)).toBeLessThan(0.05);
  expect(logged.every((id) => isSampled(id, share))).toBe(true);
});

test('the dialogues of a small share are among those of a larger one', () => {
  const small = dialogues.filter((id) => isSampled(id, 0.1));
  expect(small.every((id) => isSampled(id, 0.2))).toBe(true);
});
