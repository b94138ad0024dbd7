import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('the entry of a version that is not released has at most 60 lines', () => {
  const [, ...entries] = readFileSync('CHANGELOG.md', 'utf8').split(/^## /m);
  const [unreleased = ''] = entries.filter((entry) => /^\S+ - unreleased\n/.test(entry));
  expect(unreleased.trimEnd().split('\n').length).toBeLessThanOrEqual(60);
});
