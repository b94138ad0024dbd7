import { LRUCache } from 'lru-cache';
import type { SqlValue } from '../sqlite/store.ts';
import { guarded, translate } from './translate.ts';

/** Statements that have a name, and so stay parsed on each connection. */
const maxNamed = 400;

/** Statements whose translation is kept. */
const maxTranslated = 1_000;

/** A statement in the syntax of PostgreSQL. `name` is empty for a statement that is parsed each time. */
export type Statement = { readonly name: string; readonly text: string; readonly types: readonly number[] };

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
  isGuarded?: boolean,
) => Statement {
  const known = new LRUCache<string, Statement>({ max: maxTranslated });
  // A name always means the same statement, so a named one is never evicted.
  const named = new Map<string, Statement>();
  return (sql, args, isGuarded = false) => {
    const types = args.map(getType);
    const key = `${isGuarded ? 'guarded' : ''} ${types.join()} ${sql}`;
    const found = named.get(key) ?? known.get(key);
    if (found) return found;
    const text = isGuarded ? guarded(translate(sql), args.length) : translate(sql);
    const statement = {
      name: named.size < maxNamed ? `s${named.size + 1}` : '',
      text,
      types: isGuarded ? [...types, int8] : types,
    };
    if (statement.name === '') known.set(key, statement);
    else named.set(key, statement);
    return statement;
  };
}
