import '../check-node.mjs';
import { globSync, readFileSync } from 'node:fs';
import { join, matchesGlob, relative } from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { core, minScore, options } from './stryker.config.mjs';

/*
 * Mutation testing: changes one place of a file after the other, and runs the tests that must notice.
 *
 *   npm run mutate -- src/shared/money.ts       # one file, or `src/shared/money.ts:30-40` for some of its lines
 *   npm run mutate                              # the pure core
 *
 * Prints the mutants that no test noticed, and a row for each file. `equivalent.json` lists the mutants that change nothing, with the
 * reason; an entry that no longer matches one is reported too.
 */

const root = join(import.meta.dirname, '../..');
const equivalent = JSON.parse(readFileSync(join(import.meta.dirname, 'equivalent.json'), 'utf8'));

const lessSpace = (text) => text.replaceAll(/\s+/g, ' ').trim();

/** Returns what a person needs to know of a mutant: its line, and what becomes of which text in it. */
function describeMutant({ location: { start, end }, replacement }, lines) {
  const changed = lines.slice(start.line - 1, end.line);
  changed.push((changed.pop() ?? '').slice(0, end.column - 1));
  changed[0] = (changed[0] ?? '').slice(start.column - 1);
  return {
    line: start.line,
    in: lessSpace(lines[start.line - 1] ?? ''),
    from: lessSpace(changed.join(' ')),
    to: lessSpace(replacement ?? ''),
  };
}

/** Mutates one file and returns its row. */
async function mutate(path) {
  const [file = ''] = path.split(':');
  const startedAt = performance.now();
  const tests = core.find(({ files }) => files.some((pattern) => matchesGlob(file, pattern)))?.tests;
  // Not Stryker's `testFiles`: with it, a mutant of a constant is active only after the constant has been read.
  process.env.MUTATE_TESTS = (tests ?? ['test/**/*.test.ts']).join(' ');
  const vitest = { ...options.vitest, related: tests === undefined };
  const mutants = await new Stryker({ ...options, vitest, mutate: [path] }).runMutationTest();

  const lines = readFileSync(join(root, file), 'utf8').split('\n');
  const inEach = equivalent['*'].map((entry) => ({ ...entry, isUsed: true }));
  const listed = [...inEach, ...(equivalent[file] ?? []).map((entry) => ({ ...entry, isUsed: false }))];
  const row = { file, mutants: mutants.length, killed: 0, listed: 0, survived: 0, uncovered: 0 };
  for (const mutant of mutants) {
    if (!['Survived', 'NoCoverage'].includes(mutant.status)) {
      row.killed++;
      continue;
    }
    const found = describeMutant(mutant, lines);
    const entry = listed.find(
      (known) =>
        found.in.includes(known.in) && found.from.startsWith(known.from) && known.to.includes(found.to),
    );
    if (entry) {
      entry.isUsed = true;
      row.listed++;
      continue;
    }
    const isCovered = mutant.status === 'Survived';
    row[isCovered ? 'survived' : 'uncovered']++;
    console.log(
      `${file}:${found.line} ${isCovered ? 'survived' : 'uncovered'}: ${found.from} -> ${found.to}`,
    );
  }
  const unused = path === file ? listed.filter(({ isUsed }) => !isUsed) : [];
  for (const { from, to } of unused)
    console.log(`${file}: equivalent.json lists what is no survivor: ${from} -> ${to}`);
  const score = row.killed + row.survived === 0 ? 100 : (100 * row.killed) / (row.killed + row.survived);
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  return { ...row, score, seconds, isGood: score >= minScore && row.uncovered === 0 && unused.length === 0 };
}

process.chdir(root);
const named = process.argv.slice(2).map((path) => relative(root, join(root, path)));
const paths =
  named.length > 0
    ? named
    : core.flatMap(({ files }) => files.flatMap((pattern) => globSync(pattern).sort()));
const rows = [];
for (const path of paths) rows.push(await mutate(path));

console.log(
  '\n| file | mutants | killed | listed | survived | uncovered | score | seconds |\n|---|---|---|---|---|---|---|---|',
);
for (const { file, mutants, killed, listed, survived, uncovered, score, seconds } of rows) {
  const figures = [mutants, killed, listed, survived, uncovered, `${score.toFixed(1)} %`, seconds];
  console.log(`| ${[`\`${file}\``, ...figures].join(' | ')} |`);
}
process.exit(rows.every(({ isGood }) => isGood) ? 0 : 1);
