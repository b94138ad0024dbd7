import { type SQL, sql } from 'drizzle-orm';
import { collection } from '../../database/schema.ts';

/** Returns the condition that at least one of the conditions holds. Each condition uses its own index. */
export function inRows(conditions: readonly SQL[]): SQL {
  const parts = conditions.map((condition) => sql`SELECT rowid FROM ${collection} WHERE ${condition}`);
  return sql`${collection}.rowid IN (${sql.join(parts, sql` UNION ALL `)})`;
}
