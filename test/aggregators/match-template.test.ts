import { expect, test } from 'vitest';
import { matchTemplate } from '../../src/aggregators/generic/match-template.ts';

test('a template with many unknown placeholders is compared in linear time', () => {
  const template = { m: `${'{a}{b}{c}{d}{e}'}!{text}` };
  const startedAt = performance.now();
  expect(matchTemplate(template, { m: 'A'.repeat(200) }, new Map(), false)).toBeUndefined();
  // 17 s with a backtracking engine.
  expect(performance.now() - startedAt).toBeLessThan(400);
});

test('characters of the template and of the request have no meaning as a pattern', () => {
  const sent = new Map([['id', '(a+)+$']]);
  expect(matchTemplate({ m: '[.*] {id}: {text}' }, { m: '[.*] (a+)+$: Hi\nthere' }, sent, false)).toBe(
    'Hi\nthere',
  );
  expect(matchTemplate({ m: '[.*] {id}: {text}' }, { m: '[xx] aaa: Hi' }, sent, false)).toBeUndefined();
});
