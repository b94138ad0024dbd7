import { expect, test } from 'vitest';
import { createProgress } from './progress.ts';

function show(isTTY: boolean): string {
  let text = '';
  const progress = createProgress({ isTTY, write: (more) => (text += more) });
  progress.report({ day: 1, days: 8, percent: 5 });
  progress.report({ day: 1, days: 8, percent: 5 });
  progress.report({ day: 1, days: 8, percent: 6 });
  progress.report({ day: 2, days: 8, percent: 7 });
  progress.end();
  return text;
}

test('in a pipe, the progress is a line for each day', () => {
  expect(show(false)).toBe('day 1 of 8\nday 2 of 8\n');
});

test('on a terminal, the progress is one line that is removed at the end', () => {
  const clear = '\r\u001b[K';
  expect(show(true)).toBe(`${clear}day 1 of 8, 5 %${clear}day 1 of 8, 6 %${clear}day 2 of 8, 7 %${clear}`);
});
