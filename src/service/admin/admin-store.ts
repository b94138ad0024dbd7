import { and, asc, desc, eq, lt, type SQL } from 'drizzle-orm';
import type { SessionStatus } from '../../contract/service/session.ts';
import { insertRow } from '../../sqlite/statement.ts';
import type { Store } from '../../sqlite/store.ts';
import type { Event } from '../event/event-store.ts';
import { equalsIfSet, mergeNewest, unindexed } from '../list-query.ts';
import type { Prompt } from '../rail/prompt-store.ts';
import { adminAction, event, type Livemode, prompt, sessionTable } from '../schema.ts';
import { listParts, type SessionRow } from '../session/session-store.ts';

export type AdminAction = typeof adminAction.$inferSelect;

/** The actions of the admin API. Append-only. */
export function auditStore({ read }: Store) {
  return {
    insert: insertRow(adminAction),
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

type SessionFilter = {
  merchantId?: string | undefined;
  livemode?: Livemode | undefined;
  status?: SessionStatus | undefined;
  reference?: string | undefined;
  payer?: string | undefined;
};

/** More events and more prompts than any session has. */
const maxEvents = 20;
const maxPrompts = 20;

/** Queries over the sessions of all merchants in both modes, for support staff. */
export function adminSessionStore({ read }: Store) {
  const page = (where: (SQL | undefined)[], limit: number): Promise<SessionRow[]> =>
    read
      .select()
      .from(sessionTable)
      .where(and(...where))
      .orderBy(desc(sessionTable.id))
      .limit(limit);

  return {
    /** Lists sessions, newest first, starting before `before` if it is given. Every query uses an index. */
    async list(filter: SessionFilter, limit: number, before: string | undefined): Promise<SessionRow[]> {
      const { merchantId, livemode, status, reference, payer } = filter;
      const older = before === undefined ? undefined : lt(sessionTable.id, before);
      if (payer !== undefined) {
        const others = [
          equalsIfSet(unindexed(sessionTable.merchantId), merchantId),
          equalsIfSet(unindexed(sessionTable.livemode), livemode),
          equalsIfSet(unindexed(sessionTable.status), status),
          equalsIfSet(unindexed(sessionTable.reference), reference),
        ];
        return page([eq(sessionTable.payer, payer), ...others, older], limit);
      }
      const modes: readonly Livemode[] = livemode === undefined ? [0, 1] : [livemode];
      const isMerchants = [
        equalsIfSet(sessionTable.merchantId, merchantId),
        equalsIfSet(sessionTable.reference, reference),
      ];
      const parts =
        reference === undefined ? listParts(status) : [equalsIfSet(unindexed(sessionTable.status), status)];
      const found = await Promise.all(
        modes.flatMap((mode) =>
          parts.map((part) => page([eq(sessionTable.livemode, mode), ...isMerchants, part, older], limit)),
        ),
      );
      return mergeNewest(found, limit);
    },
    /** Lists the session's prompts on the simulated rail, oldest first. Normally there is one. */
    prompts: (sessionId: string): Promise<Prompt[]> =>
      read
        .select()
        .from(prompt)
        .where(eq(prompt.sessionId, sessionId))
        .orderBy(asc(prompt.id))
        .limit(maxPrompts),
    /** Lists the session's events, oldest first. */
    events: (sessionId: string): Promise<Event[]> =>
      read.select().from(event).where(eq(event.sessionId, sessionId)).orderBy(asc(event.id)).limit(maxEvents),
  };
}
