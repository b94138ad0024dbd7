import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { locateBug, readSources } from '../kit/plant.ts';
import { mutations } from './planted/mutations.ts';

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
  const number = /^(?:ASVS \d{1,2}\.\d{1,2}\.\d{1,2}|S\d\d |CWE-\d+)/;
  expect(rows.filter(({ requirement }) => !number.test(requirement))).toEqual([]);
  const shownBy = ({ shown }: (typeof rows)[number]) => /`test\/[\w/.-]+\.test\.ts`/.test(shown);
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

/** The number by which a mutation names a row, such as `ASVS 6.5.2`. */
const numberOf = (requirement: string) => /^(?:ASVS [\d.]+|S\d\d|CWE-\d+)/.exec(requirement)?.[0] ?? '';

test('every requirement with a test has a mutation that removes its protection', () => {
  const tested = rows.filter(({ done, shown }) => shown.includes('`test/') && !done.includes('**Not done**'));
  const missing = tested.filter(
    ({ requirement }) => !mutations.some((one) => one.requirement === numberOf(requirement)),
  );
  expect(missing).toEqual([]);
});

const sources = readSources('.');

test.each(mutations.map((one) => [one.requirement, one.name, one] as const))(
  '%s without its protection (%s): the row names the tests, and the original text occurs once',
  (requirement, _, mutation) => {
    const named = rows
      .filter((row) => numberOf(row.requirement) === requirement)
      .map(({ shown }) => shown)
      .join();
    expect(mutation.tests.filter((one) => !named.includes(`\`${one}\``))).toEqual([]);
    expect(locateBug(mutation, sources)).toMatch(/^src\//);
  },
);
