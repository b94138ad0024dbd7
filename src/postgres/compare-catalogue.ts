// cspell:ignore deptype
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type SchemaObject, schemaDifferences } from '../sqlite/compare-schema.ts';
import type { RunQuery } from '../sqlite/store.ts';

/** The schema of the ledger, which each connection names: the search path of a role can lead to tables of another program. */
export const ledgerSchema = 'dialtill';

/** The objects that the migrations create, as a server of this major version describes them. */
export type Catalogue = { readonly major: number; readonly objects: readonly SchemaObject[] };

/** Objects that an extension has created are its own. */
const isOwn = (catalogue: string, oid: string) =>
  `NOT EXISTS (SELECT 1 FROM pg_depend AS d WHERE d.classid = '${catalogue}'::regclass AND d.objid = ${oid} AND d.deptype = 'e')`;

// cspell:disable -- names of PostgreSQL's catalogues
const schema = `'${ledgerSchema}'::regnamespace`;
const isOwnTable = `t.relnamespace = ${schema} AND ${isOwn('pg_class', 't.oid')}`;

/** Tables and views, each with its columns, their types, defaults and collations. */
const tables = `
  SELECT CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'view' ELSE 'table' END AS type, c.relname::text AS name,
    c.relname::text AS of, concat_ws(' ', c.relkind, c.relpersistence, c.relrowsecurity, (
      SELECT string_agg(concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity,
        a.attgenerated, l.collname, pg_get_expr(f.adbin, f.adrelid)), ', ' ORDER BY a.attnum)
      FROM pg_attribute AS a LEFT JOIN pg_collation AS l ON l.oid = a.attcollation
        LEFT JOIN pg_attrdef AS f ON f.adrelid = a.attrelid AND f.adnum = a.attnum
      WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped)) AS definition
  FROM pg_class AS c
  WHERE c.relkind NOT IN ('i', 'I', 'S', 't', 'c') AND c.relnamespace = ${schema} AND ${isOwn('pg_class', 'c.oid')}`;

const indexes = `
  SELECT 'index', i.relname, t.relname,
    concat_ws(' ', x.indisvalid, x.indisunique, x.indkey, '--', pg_get_indexdef(x.indexrelid, 0, true))
  FROM pg_index AS x JOIN pg_class AS i ON i.oid = x.indexrelid JOIN pg_class AS t ON t.oid = x.indrelid
  WHERE ${isOwnTable}`;

/** Without those of type `n`: the NOT NULL of columns, which newer servers list a second time. */
const constraints = `
  SELECT 'constraint', o.conname, t.relname,
    concat_ws(' ', o.contype, o.convalidated, o.conkey, '--', pg_get_constraintdef(o.oid, true))
  FROM pg_constraint AS o JOIN pg_class AS t ON t.oid = o.conrelid
  WHERE o.contype <> 'n' AND ${isOwnTable}`;

/** A trigger being enabled is part of its definition. */
const triggers = `
  SELECT 'trigger', g.tgname, t.relname, concat_ws(' ', g.tgenabled, g.tgtype, g.tgfoid::regproc,
    encode(g.tgargs, 'escape'), '--', pg_get_triggerdef(g.oid, true))
  FROM pg_trigger AS g JOIN pg_class AS t ON t.oid = g.tgrelid
  WHERE NOT g.tgisinternal AND ${isOwnTable}`;

const rules = `
  SELECT 'rule', r.rulename, t.relname, concat_ws(' ', r.ev_enabled, '--', pg_get_ruledef(r.oid, true))
  FROM pg_rewrite AS r JOIN pg_class AS t ON t.oid = r.ev_class
  WHERE r.rulename <> '_RETURN' AND ${isOwnTable}`;

/** Tables of any schema that inherit from one of the ledger. */
const children = `
  SELECT 'child', h.inhrelid::regclass::text, t.relname, ''
  FROM pg_inherits AS h JOIN pg_class AS t ON t.oid = h.inhparent
  WHERE t.relnamespace = ${schema} AND t.relkind IN ('r', 'p')`;

/** Foreign keys of any schema that refer to a table of the ledger. */
const references = `
  SELECT 'reference', concat(o.conrelid::regclass, ' ', o.conname), t.relname, ''
  FROM pg_constraint AS o JOIN pg_class AS t ON t.oid = o.confrelid
  WHERE t.relnamespace = ${schema}`;

const functions = `
  SELECT 'function', p.oid::regprocedure::text, '', concat_ws(' ', pg_get_function_arguments(p.oid),
    pg_get_function_result(p.oid), l.lanname, p.provolatile, p.proisstrict, p.prosecdef,
    array_to_string(p.proconfig, ','), p.prosrc, '--', pg_get_function_sqlbody(p.oid))
  FROM pg_proc AS p JOIN pg_language AS l ON l.oid = p.prolang
  WHERE p.pronamespace = ${schema} AND ${isOwn('pg_proc', 'p.oid')}`;

const operators = `
  SELECT 'operator', o.oid::regoperator::text, '', o.oprcode::text
  FROM pg_operator AS o
  WHERE o.oprnamespace = ${schema} AND ${isOwn('pg_operator', 'o.oid')}`;

/** Settings of the database or of a role that turn triggers off. */
const settings = `
  SELECT 'setting', 'session_replication_role', coalesce(setrole::regrole::text, ''), ''
  FROM pg_db_role_setting WHERE array_to_string(setconfig, ',') LIKE '%session_replication_role%'
    AND setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))`;
// cspell:enable

/**
 * Everything that can change, hide or reject a row, by type, name and table, with its definition. The words of a definition, which
 * depend on the version of the server, stand after two dashes.
 */
const kinds = [
  ...[tables, indexes, constraints, triggers, rules],
  ...[children, references, functions, operators, settings],
];
const objectsQuery = `${kinds.join(' UNION ALL ')} ORDER BY 1, 3, 2`;

/** Reads the objects of the schema of a ledger. */
export async function readCatalogue(query: RunQuery): Promise<Catalogue> {
  const version = `SELECT current_setting('server_version_num')::int / 10000`;
  const [major] = (await query(version, [], 'row')) as [number];
  return { major, objects: (await query(objectsQuery, [], 'rows')) as SchemaObject[] };
}

let expected: Catalogue | undefined;

/** The objects of a new ledger, which `npm run db:catalogue` writes beside the migrations. */
function expectedCatalogue(): Catalogue {
  const file = new URL('../../drizzle/postgres/gateway/catalogue.json', import.meta.url);
  expected ??= JSON.parse(readFileSync(fileURLToPath(file), 'utf8')) as Catalogue;
  return expected;
}

/** Returns the names of the objects of one kind that a ledger has, such as its tables. */
export function listLedgerObjects(kind: 'table' | 'function' | 'operator'): string[] {
  return expectedCatalogue().objects.flatMap(([type, name]) => (type === kind ? [name] : []));
}

/** Compares the objects of a ledger on a server with those of a new one. */
export async function compareCatalogue(query: RunQuery): Promise<string[]> {
  return catalogueDifferences(await readCatalogue(query), expectedCatalogue());
}

/**
 * Compares the objects of a ledger with those of a new one. A server of another major version can write a definition in other words,
 * which stand after two dashes: there the rest is compared, such as columns, bodies of functions, and whether a trigger is enabled.
 *
 * @returns one sentence for each object that is missing, changed or not expected.
 */
export function catalogueDifferences(found: Catalogue, of: Catalogue): string[] {
  const isComparable = found.major === of.major;
  const withoutWords = ([type, name, table, definition]: SchemaObject): SchemaObject => [
    ...([type, name, table] as const),
    definition?.split(' -- ')[0] ?? null,
  ];
  const shown = ({ objects }: Catalogue) => (isComparable ? objects : objects.map(withoutWords));
  return schemaDifferences(shown(found), shown(of));
}
