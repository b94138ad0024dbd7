import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const text = readFileSync('docs/security.md', 'utf8');
const [, table = ''] = text.split('## Requirements and their tests');
const rows = [...table.matchAll(/^\| (.+?) \| (.+?) \| (.+?) \|$/gm)]
  .map(([, requirement = '', done = '', shown = '']) => ({ requirement, done, shown }))
  .filter(({ requirement }) => !/^(requirement|-+)/.test(requirement));

test('every file and every test that the matrix names exists', () => {
  const named = [...text.matchAll(/`((?:src|test|docs)\/[^`]+)`/g)].map(([, file = '']) => file);
  expect(named.length).toBeGreaterThan(60);
  expect(named.filter((file) => !existsSync(file))).toEqual([]);
});

test('every requirement has a number, and a test or a statement that there is none', () => {
  expect(rows.length).toBeGreaterThan(40);
  const number = /^(?:ASVS \d{1,2}\.\d{1,2}\.\d{1,2}|[SF]\d\d )/;
  expect(rows.filter(({ requirement }) => !number.test(requirement))).toEqual([]);
  const shownBy = ({ shown }: (typeof rows)[number]) => /`test\/[\w/-]+\.test\.ts`/.test(shown);
  const isDeclaredMissing = ({ done, shown }: (typeof rows)[number]) =>
    done.includes('**Not done**') || shown.startsWith('no test:');
  expect(rows.filter((row) => !shownBy(row) && !isDeclaredMissing(row))).toEqual([]);
});

test('the matrix covers each of the ten risks of the API Security Top 10', () => {
  const found = new Set([...table.matchAll(/\bAPI(\d+)\b/g)].map(([, n]) => Number(n)));
  expect([...found].sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test.each(
  [...table.matchAll(/\((S\d\d(?:, S\d\d)*)\)[^|]*\|[^|]*\|([^|]*)\|/g)].map(([, names = '', shown = '']) => [
    names,
    shown,
  ]),
)('the tests that the matrix names for %s have its name in a title', (names = '', shown = '') => {
  const titles = [...shown.matchAll(/`(test\/[^`]+)`/g)]
    .map(([, file = '']) => readFileSync(file, 'utf8'))
    .join('\n');
  for (const name of names.split(', ')) expect(titles).toMatch(new RegExp(`['"\`]${name}[ :]`));
});
