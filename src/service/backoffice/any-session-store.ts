import { and, asc, desc, eq, lt, type SQL } from 'drizzle-orm';
import type { SessionStatus } from '../../contract/session.ts';
import type { Store } from '../../db/store.ts';
import type { Event } from '../event/event-store.ts';
import { event, type Livemode, session } from '../schema.ts';
import type { Session } from '../session/session-store.ts';

export type SessionFilter = {
  merchantId?: string | undefined;
  livemode?: Livemode | undefined;
  status?: SessionStatus | undefined;
  reference?: string | undefined;
  payer?: string | undefined;
};

/** More events than any session has: it is closed once, and reviewed once. */
const mostEvents = 20;

/** Sessions of every merchant in both modes, as support looks for them. */
export function anySessionStore({ read }: Store) {
  const page = (where: (SQL | undefined)[], limit: number): Promise<Session[]> =>
    read
      .select()
      .from(session)
      .where(and(...where))
      .orderBy(desc(session.id))
      .limit(limit);

  return {
    /** Newest first, those before `before` if it is given. */
    async list(of: SessionFilter, limit: number, before: string | undefined): Promise<Session[]> {
      const where = [
        of.status === undefined ? undefined : eq(session.status, of.status),
        of.payer === undefined ? undefined : eq(session.payer, of.payer),
        of.reference === undefined ? undefined : eq(session.reference, of.reference),
        before === undefined ? undefined : lt(session.id, before),
      ];
      if (of.merchantId === undefined) {
        const mode = of.livemode === undefined ? undefined : eq(session.livemode, of.livemode);
        return page([mode, ...where], limit);
      }
      // The indexes begin with merchant and mode: one search in each mode reads no more than it shows.
      const ofMerchant = eq(session.merchantId, of.merchantId);
      const modes: readonly Livemode[] = of.livemode === undefined ? [0, 1] : [of.livemode];
      const found = await Promise.all(
        modes.map((mode) => page([ofMerchant, eq(session.livemode, mode), ...where], limit)),
      );
      return found
        .flat()
        .sort((one, other) => (one.id < other.id ? 1 : -1))
        .slice(0, limit);
    },
    /** In the order in which they were made. */
    events: (sessionId: string): Promise<Event[]> =>
      read
        .select()
        .from(event)
        .where(eq(event.sessionId, sessionId))
        .orderBy(asc(event.id))
        .limit(mostEvents),
  };
}
