import { vi } from 'vitest';
import { type CompiledStatement, Database } from '../../src/sqlite/driver.ts';

/** A statement and the steps of its query plan. */
export type Plan = { sql: string; steps: string[] };

/** Returns the plans of the queries on a database file that this process compiles for the first time during `work`. */
export async function queryPlansOf(file: string, work: () => Promise<unknown>): Promise<Plan[]> {
  const seen = new Set<string>();
  const { prepare } = Database.prototype;
  const spy = vi.spyOn(Database.prototype, 'prepare').mockImplementation(function (this: Database, sql) {
    if (this.name === file) seen.add(sql);
    return prepare.call(this, sql) as CompiledStatement<unknown[]>;
  });
  await work().finally(() => spy.mockRestore());
  const database = new Database(file, { readonly: true });
  try {
    const queries = [...seen].filter((sql) => /^\s*select\b/i.test(sql));
    return queries.map((sql) => {
      const values = Array.from(sql.matchAll(/\?/g), () => 1);
      const plan = database.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(values);
      return { sql, steps: plan.map(({ detail }) => detail) };
    });
  } finally {
    database.close();
  }
}
