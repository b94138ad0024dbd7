import { LRUCache } from 'lru-cache';
import type { SqlValue } from '../sqlite/store.ts';

/*
 * The gateway's statements are written for SQLite. PostgreSQL runs most of them unchanged; the functions of the migration
 * `functions` and the changes in this file are the rest. A statement that no change covers is written in a portable form.
 */

/** Drizzle writes null for a number that SQLite assigns. PostgreSQL rejects null in such a column. */
const assignedNumber = /^(insert into "\w+" \("(?:seq|number)", .*?\) values )\(null, /;

/** Drizzle qualifies the columns of a conflict target, which PostgreSQL rejects. */
const conflictTarget = /\bon conflict \(("\w+"\."\w+"(?:, ?"\w+"\."\w+")*)\)/gi;

/** The number of collections, none of which is ever deleted. SQLite numbers them. */
const collectionCount = /\bmax\("collection"\.rowid\)/;

/** The address of a row, by which a query joins what its indexes found. It means nothing after the query. */
const rowAddress = /\browid\b/g;

/** At the end of the selection of rows that a statement claims: another process that claims some of them is not waited for. */
const skipLocked = '/* skip locked */';

/** Text and names in quotes, and placeholders outside of them. */
const quotedOrPlaceholder = /('(?:[^']|'')*'|"(?:[^"]|"")*")|\?/g;

/** Returns a statement of SQLite in the syntax of PostgreSQL. Its placeholders are numbered in the order of the values. */
export function translate(sql: string): string {
  let number = 0;
  return sql
    .replace(assignedNumber, '$1(default, ')
    .replace(conflictTarget, (_, columns: string) => `on conflict (${columns.replaceAll(/"\w+"\./g, '')})`)
    .replace(collectionCount, 'count(*)')
    .replace(rowAddress, 'ctid')
    .replace(skipLocked, 'FOR UPDATE SKIP LOCKED')
    .replace(quotedOrPlaceholder, (_, quoted: string | undefined) => quoted ?? `$${++number}`);
}

/** The condition that a guarded statement raises when it changed another number of rows (see the migration). */
export const conflictState = 'ZD001';

/** An insert that does not state what happens in a conflict. */
const plainInsert = /^\s*insert into\b(?!.*\bon conflict\b)/is;

/**
 * Returns a statement that fails with `conflictState` unless it changes as many rows as its last value states. An insert
 * that meets an existing row then counts no row: the error of a unique index would write the row's values, such as the
 * payer's number, into the server's log.
 *
 * @param isAlone the batch has no other write. Then a count of 0 needs no rollback, and the statement returns whether its guard
 *   holds: a lost guard is no error of the server.
 */
export function guarded(sql: string, placeholders: number, isAlone = false): string {
  const write = plainInsert.test(sql) ? `${sql} ON CONFLICT DO NOTHING` : sql;
  const checked = `rows_must_be(count(*), $${placeholders + 1})`;
  const result = isAlone
    ? `CASE count(*) WHEN 0 THEN $${placeholders + 1} = 0 ELSE ${checked} IS NOT NULL END`
    : checked;
  return `WITH written AS (${write} RETURNING 1) SELECT ${result} FROM written`;
}

/** How a statement checks the number of rows that it changes; undefined for one that changes any number. */
type Guard = 'alone' | 'in a batch' | undefined;

/** Statements that have a name, and so stay parsed on each connection. */
const maxNamed = 400;

/** Statements whose translation is kept. */
const maxTranslated = 1_000;

/** A statement in the syntax of PostgreSQL. `name` is empty for a statement that is parsed each time. */
export type PostgresStatement = {
  readonly name: string;
  readonly text: string;
  readonly types: readonly number[];
};

const int8 = 20;
const float8 = 701;
const unspecified = 0;

/**
 * Numbers have a type of their own: PostgreSQL would otherwise take the type from the context, where `? + 1` means four
 * bytes. Text has none, so that null fits every column.
 */
function getType(value: SqlValue): number {
  if (typeof value !== 'number') return unspecified;
  return Number.isInteger(value) ? int8 : float8;
}

/** Creates a function that translates statements and names those that it meets first. */
export function createStatements(): (
  sql: string,
  args: readonly SqlValue[],
  guard?: Guard,
) => PostgresStatement {
  const known = new LRUCache<string, PostgresStatement>({ max: maxTranslated });
  // A name always means the same statement, so a named one is never evicted.
  const named = new Map<string, PostgresStatement>();
  return (sql, args, guard) => {
    const types = args.map(getType);
    const key = `${guard ?? ''} ${types.join()} ${sql}`;
    const found = named.get(key) ?? known.get(key);
    if (found) return found;
    const translated = translate(sql);
    const text = guard ? guarded(translated, args.length, guard === 'alone') : translated;
    const statement = {
      name: named.size < maxNamed ? `s${named.size + 1}` : '',
      text,
      types: guard ? [...types, int8] : types,
    };
    if (statement.name === '') known.set(key, statement);
    else named.set(key, statement);
    return statement;
  };
}
