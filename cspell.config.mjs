import { readFileSync } from 'node:fs';

/**
 * Words that the glossary replaces: the code-style words in the last column of its tables. They are reported wherever
 * they occur, also as a part of an identifier.
 */
function replacedWords() {
  const rows = readFileSync(new URL('./docs/glossary.md', import.meta.url), 'utf8').split('\n');
  return rows
    .filter((row) => row.startsWith('| ') && row.split('|').length === 6)
    .flatMap((row) => [...(row.split('|')[4] ?? '').matchAll(/`([^`]+)`/g)].map(([, word]) => word));
}

export default {
  version: '0.2',
  language: 'en-GB,en',
  useGitignore: true,
  files: ['**/*.{ts,tsx,md,yaml,yml}', '**/package.json', 'assets/*/*.{css,js}'],
  ignorePaths: [
    'docs/glossary.md',
    'drizzle',
    'fixtures/aggregators',
    'observability',
    'assets/*.svg',
    'test/upgrade/*/**',
  ],
  flagWords: replacedWords(),
  dictionaryDefinitions: [{ name: 'project', path: './cspell-words.txt', addWords: true }],
  dictionaries: ['project', 'typescript', 'node', 'npm', 'software-terms', 'html', 'sql'],
  // Documents have programs in other languages.
  languageSettings: [{ languageId: 'markdown', dictionaries: ['python', 'php'] }],
  // Identifiers, secrets and samples that are not words; Twi, Ewe and French texts.
  ignoreRegExpList: [
    'Base64SingleLine',
    '/\\b(?:col|pay|evt|dlg|req|key|otp|sk_test|sk_live|whsec)_[\\w-]+/g',
    '/\\b(?:tw|ee|fr): .*/g',
    '/[^\\s\\x00-\\x7f]*[^\\x00-\\x7f][^\\s]*/g',
  ],
};
