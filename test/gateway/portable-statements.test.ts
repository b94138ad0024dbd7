import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/* The gateway's statements run on SQLite and on PostgreSQL. docs/decisions/0018 names the differences that are translated. */

/** What PostgreSQL has no counterpart for, and the portable form. */
const forms: Record<string, RegExp> = {
  // Only in `rowid IN (SELECT rowid …)` and as the number of collections, which src/postgres/translate.ts covers.
  'rowid: a time or an id': /\browid\s*[<>=]|BY rowid/i,
  'IS between two values: IS NOT DISTINCT FROM':
    /\bIS (?:\?|\$\{|"|(?!NULL|NOT|DISTINCT|TRUE|FALSE)[a-z]\w*\.)/,
  'iif(): CASE WHEN': /\biif\s*\(/i,
  'substr() from the end: no portable form': /\bsubstr\([^)]*-\s*[$\d?]/i,
  'a parameter IS NULL: CAST(… AS TEXT) IS NULL': /(?:\?|\$\{placeholder\('\w+'\)\}) IS NULL/,
  'a SELECT of null as the number of a row: name the columns': /SELECT NULL,/i,
  'GLOB: LIKE': /\bGLOB\b/,
  'INSERT OR: ON CONFLICT': /\bINSERT OR\b/i,
  'tables and settings of SQLite': /\bsqlite_(?:schema|sequence|master)\b|\bPRAGMA\b/,
};

/** Files that run on SQLite only, so far. A file leaves the list with its last such form. */
const sqliteOnly = ['ledger/audit-query.ts'];

const folder = 'src/gateway';
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.ts'),
);

function formsIn(name: string): string[] {
  const code = readFileSync(join(folder, name), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  // Statements are in template literals and quotes; a line of a message has no such form.
  return Object.entries(forms)
    .filter(([, form]) => form.test(code))
    .map(([name]) => name);
}

test('statements of the gateway use no form that only SQLite has', () => {
  const found = files.map((name) => [name, formsIn(name)] as const).filter(([, used]) => used.length > 0);
  const others = found.filter(([name]) => !sqliteOnly.includes(name));
  expect(others).toEqual([]);
});

test('the list of files for SQLite only has no file that could leave it', () => {
  expect(sqliteOnly.filter((name) => formsIn(name).length === 0)).toEqual([]);
});
