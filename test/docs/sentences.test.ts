import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { documents } from './documents.ts';
import { longSentences, maxWords } from './sentences.ts';

test.each(documents)('no sentence of %s has more words than a reader can hold', (file) => {
  expect(longSentences(readFileSync(file, 'utf8'))).toEqual([]);
});

const words = (count: number) => Array.from({ length: count }, () => 'word').join(' ');

test.each([
  ['a short sentence', `${words(maxWords)}.`, 0],
  ['a sentence that is too long', `${words(maxWords + 1)}.`, 1],
  ['two short sentences', `${words(20)}. ${words(20)}.`.replace('. w', '. W'), 0],
  ['a sentence over several lines', `${words(20)}\n${words(11)}.`, 1],
  ['code, which is one word', `${words(20)} \`${words(20)}\`.`, 0],
  ['a block of code', `\`\`\`\n${words(40)}\n\`\`\``, 0],
  ['a cell of a table', `| a | b |\n|---|---|\n| ${words(31)} | ${words(31)} |`, 2],
  ['two items of a list', `- ${words(20)}\n- ${words(20)}`, 0],
  [
    'a list behind a colon',
    `${words(10)}: ${words(5)}, ${words(5)}, ${words(5)}, ${words(5)}, ${words(5)}.`,
    0,
  ],
  ['two clauses behind a colon', `${words(10)}: ${words(15)}, ${words(15)}.`, 1],
])('%s is measured', (_, text, found) => {
  expect(longSentences(text)).toHaveLength(found);
});
