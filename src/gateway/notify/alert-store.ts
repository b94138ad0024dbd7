import { and, asc, eq, gt, inArray, isNull, lte, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import {
  build,
  equals,
  insertRow,
  parameter,
  prepareQuery,
  prepareWrite,
  rowParameters,
} from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { roleHas } from '../access/permissions.ts';
import { account, alertTarget, proposal, staffAction } from '../database/schema.ts';

export type AlertTarget = typeof alertTarget.$inferSelect;
export type AlertKind = AlertTarget['kind'];

/** A target with what its person may see. */
export type AlertReader = { target: AlertTarget; name: string; role: (typeof account.$inferSelect)['role'] };

/** An action of support staff that can be news for a person. */
export type NewsAction = Pick<
  typeof staffAction.$inferSelect,
  'seq' | 'actor' | 'action' | 'result' | 'subjectId'
> & { proposal: string | null };

export type AlertStore = ReturnType<typeof alertStore>;

const { placeholder } = sql;

const ofAccount = prepareQuery(
  build.select().from(alertTarget).where(equals(alertTarget, 'accountId')).orderBy(asc(alertTarget.kind)),
);

/** The targets of people whose account is enabled. A person has at most two. */
const all = prepareQuery(
  build
    .select({ target: alertTarget, name: account.name, role: account.role })
    .from(alertTarget)
    .innerJoin(account, eq(account.id, alertTarget.accountId))
    .where(isNull(account.disabledAt)),
);

const actionsAfter = prepareQuery(
  build
    .select({
      ...{ seq: staffAction.seq, actor: staffAction.actor, action: staffAction.action },
      ...{ result: staffAction.result, subjectId: staffAction.subjectId },
      proposal: sql<string | null>`${staffAction.detail} ->> '$.proposal'`,
    })
    .from(staffAction)
    .where(and(gt(staffAction.seq, placeholder('seq')), lte(staffAction.at, placeholder('until'))))
    .orderBy(asc(staffAction.seq))
    .limit(placeholder('limit')),
);

const lastSeq = prepareQuery(
  build.select({ seq: sql<number>`coalesce(max(${staffAction.seq}), 0)` }).from(staffAction),
);

const codesAfter = prepareQuery(
  build
    .select({ count: sql<number>`count(*)` })
    .from(staffAction)
    .where(
      and(
        eq(staffAction.subjectId, placeholder('accountId')),
        eq(staffAction.action, sql`'set_alert'`),
        gt(staffAction.at, placeholder('after')),
        sql`${staffAction.detail} ->> '$.code' = 'sent'`,
      ),
    ),
);

export function alertStore(store: Store) {
  return {
    ofAccount: (accountId: string): Promise<AlertTarget[]> => ofAccount.all(store, { accountId }),
    /** Lists the targets of people who may get alerts. */
    listReaders: async (): Promise<AlertReader[]> =>
      ((await all.all(store)) as AlertReader[]).filter(({ role }) => roleHas(role, 'alerts.own')),
    /** Lists the actions after one, oldest first, until a time. */
    listActions: (seq: number, until: EpochMs, limit: number): Promise<NewsAction[]> =>
      actionsAfter.all(store, { seq, until, limit }),
    /** Returns the ids of those proposals that are open. */
    async openProposals(ids: readonly string[]): Promise<ReadonlySet<string>> {
      if (ids.length === 0) return new Set();
      const rows = await store.read
        .select({ id: proposal.id })
        .from(proposal)
        .where(and(inArray(proposal.id, [...ids]), eq(proposal.state, 'open')));
      return new Set(rows.map(({ id }) => id));
    },
    lastSeq: async (): Promise<number> => (await lastSeq.get(store))?.seq ?? 0,
    /** Returns how many codes a person has had sent after a time. */
    countCodes: async (accountId: string, after: EpochMs): Promise<number> =>
      Number((await codesAfter.get(store, { accountId, after }))?.count ?? 0),
    apply: store.apply,
  };
}

const changed = Object.keys(rowParameters(alertTarget, 'accountId', 'kind')).map(
  (name) => [name, parameter(name)] as const,
);

const replace = prepareWrite<AlertTarget & { fenceRead: number }>(
  build
    .update(alertTarget)
    .set(Object.fromEntries(changed))
    .where(and(equals(alertTarget, 'accountId', 'kind'), eq(alertTarget.fence, placeholder('fenceRead')))),
  1,
);

export const alertWrites = {
  insert: insertRow(alertTarget),
  /** Changes a target. Loses when another writer was first. */
  change: (read: AlertTarget, news: Partial<Omit<AlertTarget, 'accountId' | 'kind' | 'fence'>>): Write =>
    replace({ ...read, ...news, fence: read.fence + 1, fenceRead: read.fence }),
  remove: prepareWrite<Pick<AlertTarget, 'accountId' | 'kind'>>(
    build.delete(alertTarget).where(equals(alertTarget, 'accountId', 'kind')),
    1,
  ),
  /** Removes where a person gets alerts, of which there may be none. */
  removeAll: prepareWrite<Pick<AlertTarget, 'accountId'>>(
    build.delete(alertTarget).where(equals(alertTarget, 'accountId')),
  ),
};
