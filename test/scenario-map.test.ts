import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/*
 * The scenario table of docs/reliability/scenarios.md: each named scenario, its guarantee, and its tests.
 */

const document = 'docs/reliability/scenarios.md';
const folder = 'docs/reliability';
const documents = ['docs/reliability.md', ...readdirSync(folder).map((name) => join(folder, name))];
const scenarios = Array.from({ length: 57 }, (_, n) => `S${String(n + 1).padStart(2, '0')}`);

type Row = { guarantee: string; testColumn: string; tests: string[] };

function rowsOf(text: string): Map<string, Row[]> {
  const rows = new Map<string, Row[]>();
  for (const [, scenario = '', guarantee = '', testColumn = ''] of text.matchAll(
    /^\| (S\d\d) \| (.+?) \| (.+?) \|$/gm,
  )) {
    const tests = Array.from(testColumn.matchAll(/`([\w/.-]+)`/g), ([, name = '']) => name);
    rows.set(scenario, [...(rows.get(scenario) ?? []), { guarantee, testColumn, tests }]);
  }
  return rows;
}

const testFiles = readdirSync('test', { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.test.ts'),
);

/** The files of a test that the document names without their suffixes: long tests can be in a file of their own. */
const filesOf = (name: string) =>
  testFiles.filter((file) => file.startsWith(`${name}.`)).map((file) => `test/${file}`);

/** The scenarios that the titles of files begin with: `S05: …`, `S05, S12: …`, or with its name, `S05 create-timeout: …`. */
function scenariosOf(files: readonly string[]): Set<string> {
  const titles = files
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')
    .matchAll(/(?<=['"`])((?:S\d\d, )*S\d\d)(?: [a-z0-9-]+)?(?=: |['"`])/g);
  return new Set(Array.from(titles, ([, numbers = '']) => numbers.split(', ')).flat());
}

const rows = rowsOf(readFileSync(document, 'utf8'));

test('the table names only existing scenarios, in their order, each once', () => {
  const named = [...rows].flatMap(([scenario, of]) => of.map(() => scenario));
  expect(named).toEqual(scenarios.filter((one) => rows.has(one)));
});

test.each(scenarios)('%s has its guarantee and its tests', (scenario) => {
  const [row] = rows.get(scenario) ?? [];
  expect(row, `${document} has no row for ${scenario}`).toBeDefined();
  expect(row?.tests).not.toEqual([]);
  for (const name of row?.tests ?? []) {
    const files = filesOf(name);
    expect(files, `${scenario} names test/${name}, which does not exist`).not.toEqual([]);
    expect([...scenariosOf(files)], `no title in ${files} begins with ${scenario}:`).toContain(scenario);
  }
});

test('every test that the documents name exists', () => {
  const folders = readdirSync('test', { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  const named = Array.from(
    documents
      .map((file) => readFileSync(file, 'utf8'))
      .join('')
      .matchAll(/`([a-z]+)(\/[a-z0-9/-]+)`/g),
    ([, folder = '', rest = '']) => ({ folder, name: `${folder}${rest}` }),
  ).filter(({ folder }) => folders.includes(folder));
  expect(named.length).toBeGreaterThan(80);
  const isTest = ({ name }: { name: string }) =>
    filesOf(name).length > 0 || existsSync(`test/${name}`) || existsSync(`src/${name}`);
  expect(named.filter((one) => !isTest(one))).toEqual([]);
});
