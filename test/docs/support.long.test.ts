import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSeed } from '../seed/create-seed.ts';
import type { SeedFiles } from '../seed/files.ts';
import { type SeededPrograms, startSeeded } from '../seed/seeded-programs.ts';
import { staffNames } from '../seed/shops.ts';
import { commandsOf, isShortened, wordsOf } from './jobs.ts';

/*
 * Runs the commands of the jobs in docs/support.md, in their order, on a seeded ledger, and compares what they print. An id
 * that a command shortens, `col_01kk…`, is the first one of its kind that the command before it has printed.
 */

const document = 'docs/support.md';
const endsAt = Date.parse('2026-03-13T12:00:00Z');
const folder = mkdtempSync(join(tmpdir(), 'dialtill-jobs-'));
let files: SeedFiles;
let programs: SeededPrograms;

beforeAll(async () => {
  files = await createSeed(folder, endsAt);
  programs = await startSeeded(files, endsAt);
});
afterAll(async () => {
  await programs.stop();
  rmSync(folder, { recursive: true, force: true });
});

type Shell = { ids: Map<string, string> };

/** Runs one line of a transcript. */
async function runLine(shell: Shell, line: string): Promise<string> {
  const [, person] = /^npm run -s demo:code -- (\w+) \| npx dialtill staff sign-in \1$/.exec(line) ?? [];
  const name = staffNames.find((one) => one === person);
  if (name !== undefined) {
    const { out, err } = await programs.signIn(name);
    return out + err;
  }
  if (line.startsWith('export ')) return '';
  const [, minutes] = /^# (\d+) minutes later$/.exec(line) ?? [];
  if (minutes !== undefined) {
    await programs.advance(Number(minutes) * 60_000);
    return '';
  }
  if (!line.startsWith('npx dialtill '))
    return execFileSync('sh', ['-c', line], { cwd: files.folder, encoding: 'utf8' });
  const [command = '', output] = line.split(' > ');
  const words = wordsOf(command).map((word) =>
    word.endsWith('.csv') ? join(files.folder, word) : fullId(shell, word),
  );
  const { out, err } = await programs.run(words.slice(2));
  if (output === undefined) return out + err;
  writeFileSync(join(files.folder, output), out);
  return err;
}

function fullId({ ids }: Shell, word: string): string {
  const [, prefix] = /^([a-z]+)_\w*…$/.exec(word) ?? [];
  return prefix === undefined ? word : (ids.get(prefix) ?? word);
}

function recordIds({ ids }: Shell, printed: string): void {
  for (const prefix of ['col', 'prp', 'dlg', 'unp', 'mch', 'dif']) {
    const [id] = new RegExp(`\\b${prefix}_\\w+`).exec(printed) ?? [];
    if (id !== undefined) ids.set(prefix, id);
  }
}

test('the jobs of support staff print what the document shows', async () => {
  const shell: Shell = { ids: new Map() };
  const commands = commandsOf(document, '## Jobs');
  expect(commands.length).toBeGreaterThan(20);
  const differences: string[] = [];
  for (const { line, command, expected } of commands) {
    const printed = await runLine(shell, command);
    recordIds(shell, printed);
    if (!isShortened(printed, expected)) differences.push(`${document}:${line}: ${command}\n${printed}`);
  }
  expect(differences.join('\n')).toBe('');
});

test('the document numbers its jobs, lists each one, and its table of contents names every section', () => {
  const text = readFileSync(document, 'utf8');
  const jobs = [...text.matchAll(/^### (\d+)\. (.+)$/gm)];
  expect(jobs.length).toBeGreaterThanOrEqual(15);
  expect(jobs.map(([, number]) => Number(number))).toEqual(jobs.map((_, index) => index + 1));
  expect(jobs.filter(([, number]) => !text.includes(`](#${number}-`))).toEqual([]);
  const sections = [...text.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title);
  const contents = text.slice(0, text.indexOf('\n## '));
  expect(sections.filter((title) => !contents.includes(`[${title}](#`))).toEqual([]);
});

test('a shortened transcript allows what the marks leave out, and nothing else', () => {
  const output = 'a  1\nb 2\nc 3\n';
  expect(isShortened(output, ['a 1', '…', 'c 3'])).toBe(true);
  expect(isShortened(output, ['a …', 'b 2', 'c …'])).toBe(true);
  expect(isShortened(output, ['a 1', 'c 3'])).toBe(false);
  expect(isShortened(output, ['a 1', '…', 'c 4'])).toBe(false);
});
