import { and, asc, desc, eq, gte, inArray, lt, type SQL, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import type { Store } from '../../sqlite/store.ts';
import { staffAction } from '../database/schema.ts';
import type { Page, PageRequest, UnknownCursor } from './page.ts';

export type ActionRow = typeof staffAction.$inferSelect;

/** The properties of the actions to list. A property that is not set selects every action. */
export type ActionFilter = {
  actor?: string | undefined;
  /** The operation, such as `note`. */
  action?: string | undefined;
  /** The id of a collection, or a number. */
  subject?: string | undefined;
  merchantId?: string | undefined;
  from?: EpochMs | undefined;
  before?: EpochMs | undefined;
};

/** Lists what support staff did, newest first, with the count of all of it. The cursor of an action is its number. */
export async function listStaffActions(
  store: Store,
  filter: ActionFilter,
  page: PageRequest,
): Promise<Page<ActionRow> | UnknownCursor> {
  const part = await readActionPart(store, filter, page);
  if (part === 'unknown_cursor') return part;
  const [all] = await store.read
    .select({ total: sql<number>`count(*)` })
    .from(staffAction)
    .where(findWhere(filter));
  return { ...part, total: all?.total ?? 0 };
}

/** Reads a page of what support staff did, newest first. Nothing is counted: the trail has every action that was ever made. */
export async function readActionPart(
  { read }: Store,
  filter: ActionFilter,
  { limit, after }: PageRequest,
): Promise<Omit<Page<ActionRow>, 'total'> | UnknownCursor> {
  if (after !== undefined && !/^\d{1,15}$/.test(after)) return 'unknown_cursor';
  const rows = await read
    .select()
    .from(staffAction)
    .where(and(findWhere(filter), after === undefined ? undefined : lt(staffAction.seq, Number(after))))
    .orderBy(desc(staffAction.seq))
    .limit(limit + 1);
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  return { data, next: rows.length > limit && last ? String(last.seq) : null };
}

function findWhere({ actor, action, subject, merchantId, from, before }: ActionFilter): SQL | undefined {
  return and(
    actor === undefined ? undefined : inArray(staffAction.actor, [...new Set([actor, actor.toLowerCase()])]),
    action === undefined ? undefined : eq(staffAction.action, action),
    subject === undefined ? undefined : eq(staffAction.subjectId, subject),
    merchantId === undefined ? undefined : eq(staffAction.merchantId, merchantId),
    from === undefined ? undefined : gte(staffAction.at, from),
    before === undefined ? undefined : lt(staffAction.at, before),
  );
}

/** Returns the person to whom a collection is assigned: the last assignment holds. */
export function findAssignee(actions: readonly ActionRow[]): string | undefined {
  const last = actions.findLast(({ action, result }) => action === 'assign' && result === 'done');
  const { to }: { to?: string | null } = last ? JSON.parse(last.detail) : {};
  return to ?? undefined;
}

/** Reads the last assignment of each payment, or of each unplaced one. */
export async function readAssignees(
  { read }: Store,
  ids: readonly string[],
): Promise<Record<string, string>> {
  if (ids.length === 0) return {};
  const rows = await read
    .select({ id: staffAction.subjectId, to: sql<string | null>`${staffAction.detail} ->> '$.to'` })
    .from(staffAction)
    .where(
      and(
        inArray(staffAction.subjectId, [...ids]),
        // By the index of the subject: a payment has few actions, and the trail has many assignments.
        sql`+${staffAction.action} = 'assign'`,
        eq(staffAction.result, 'done'),
      ),
    )
    .orderBy(asc(staffAction.seq));
  const last = new Map(rows.map(({ id, to }) => [id, to]));
  return Object.fromEntries([...last].flatMap(([id, to]) => (to === null ? [] : [[id, to]])));
}
