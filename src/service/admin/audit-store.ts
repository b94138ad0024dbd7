import { and, desc, lt } from 'drizzle-orm';
import { insertRow } from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { adminAction } from '../schema.ts';

export type AdminAction = typeof adminAction.$inferSelect;

export type AuditStore = ReturnType<typeof auditStore>;

const insert = insertRow(adminAction);

/** The actions of the admin API. Append-only. */
export function auditStore({ read }: Store) {
  return {
    insert: (row: AdminAction): Write => insert(row),
    /** Lists actions, newest first, starting before `before` if it is given. */
    list: (limit: number, before: string | undefined): Promise<AdminAction[]> =>
      read
        .select()
        .from(adminAction)
        .where(and(before === undefined ? undefined : lt(adminAction.id, before)))
        .orderBy(desc(adminAction.id))
        .limit(limit),
  };
}
