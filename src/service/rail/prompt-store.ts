import { and, asc, desc, eq, gt, isNotNull, isNull, lt, lte, type SQL, sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import { build, equals, insertRow, parameter, prepareQuery, prepareWrite } from '../../sqlite/statement.ts';
import type { Store, Write } from '../../sqlite/store.ts';
import { prompt } from '../schema.ts';

export type Prompt = typeof prompt.$inferSelect;

/** How a prompt ends. */
export type PromptEnd = Pick<Prompt, 'failure' | 'chargedMinor'> & {
  status: Exclude<Prompt['status'], 'pending'>;
};

const { placeholder } = sql;

/** A literal instead of a parameter, so that the partial indexes apply. */
const isPending = sql`${prompt.status} = 'pending'`;

/** Pending, and no magic number is going to answer it. */
const isUnanswered = and(isPending, isNull(prompt.actsAt));

/** Sorts after every id of a prompt. */
const afterAllIds = 'q';

const findTest = prepareQuery(
  build
    .select()
    .from(prompt)
    .where(and(equals(prompt, 'id'), eq(prompt.livemode, 0))),
);

const pendingTest = prepareQuery(
  build
    .select()
    .from(prompt)
    .where(
      and(
        equals(prompt, 'payer'),
        eq(prompt.livemode, 0),
        isPending,
        gt(prompt.expiresAt, placeholder('now')),
        lt(prompt.id, placeholder('before')),
      ),
    )
    .orderBy(desc(prompt.id))
    .limit(placeholder('limit')),
);

/** Prepares the queries of the prompts that are due at a time of theirs, the earliest first, and of the first such time. */
function prepareDue(time: typeof prompt.actsAt | typeof prompt.expiresAt, condition: SQL | undefined) {
  const due = build
    .select()
    .from(prompt)
    .where(and(condition, lte(time, placeholder('now'))))
    .orderBy(asc(time))
    .limit(placeholder('limit'));
  const next = build.select({ at: time }).from(prompt).where(condition).orderBy(asc(time)).limit(1);
  return { due: prepareQuery(due), next: prepareQuery(next) };
}

const action = prepareDue(prompt.actsAt, isNotNull(prompt.actsAt));

const expiry = prepareDue(prompt.expiresAt, isUnanswered);

const unreported = prepareQuery(
  build
    .select()
    .from(prompt)
    .where(and(isNotNull(prompt.closedAt), isNull(prompt.reportedAt)))
    .orderBy(asc(prompt.closedAt))
    .limit(placeholder('limit')),
);

const close = prepareWrite<PromptEnd & { id: string; at: EpochMs; reportedAt: EpochMs | null }>(
  build
    .update(prompt)
    .set({
      status: parameter('status'),
      failure: parameter('failure'),
      chargedMinor: parameter('chargedMinor'),
      closedAt: parameter('at'),
      reportedAt: parameter('reportedAt'),
      actsAt: null,
    })
    .where(
      and(
        equals(prompt, 'id'),
        eq(prompt.status, 'pending'),
        // An answer closes the prompt before its expiry, and the expiry from then on.
        sql`(${prompt.expiresAt} > ${placeholder('at')}) = (${placeholder('status')} <> 'expired'
          OR ${prompt.magic} IS NOT NULL AND ${prompt.actsAt} IS NOT NULL)`,
      ),
    ),
  1,
);

const actAgain = prepareWrite<{ id: string; at: EpochMs }>(
  build
    .update(prompt)
    .set({ actsAt: parameter('at') })
    .where(equals(prompt, 'id')),
  1,
);

const chargeAgain = prepareWrite<{ id: string; at: EpochMs }>(
  build
    .update(prompt)
    .set({ chargedAgainAt: parameter('at'), actsAt: null, reportedAt: null })
    .where(and(equals(prompt, 'id'), eq(prompt.status, 'approved'), isNotNull(prompt.actsAt))),
  1,
);

const countWrongPin = prepareWrite<{ id: string; wrongPins: number }>(
  build
    .update(prompt)
    .set({ wrongPins: sql`${prompt.wrongPins} + 1` })
    .where(and(equals(prompt, 'id'), eq(prompt.status, 'pending'), equals(prompt, 'wrongPins'))),
  1,
);

const markReported = prepareWrite<{ id: string; at: EpochMs; chargedAgainAt: EpochMs | null }>(
  build
    .update(prompt)
    .set({ reportedAt: parameter('at') })
    .where(
      and(
        equals(prompt, 'id'),
        isNull(prompt.reportedAt),
        sql`${prompt.chargedAgainAt} IS ${placeholder('chargedAgainAt')}`,
      ),
    ),
);

const findBySession = prepareQuery(build.select().from(prompt).where(equals(prompt, 'sessionId')).limit(1));

export function promptStore(store: Store) {
  return {
    /** Finds a prompt of a test session. Prompts of live sessions have no simulated phone. */
    findTest: (id: string): Promise<Prompt | undefined> => findTest.get(store, { id }),
    pendingTest: (
      payer: string,
      now: EpochMs,
      { limit, before = afterAllIds }: { limit: number; before?: string | undefined },
    ): Promise<Prompt[]> => pendingTest.all(store, { payer, now, limit, before }),
    /** The prompts of magic numbers that are due to act. */
    acting: (now: EpochMs, limit: number): Promise<Prompt[]> => action.due.all(store, { now, limit }),
    nextAct: async (): Promise<EpochMs | undefined> => (await action.next.get(store))?.at ?? undefined,
    /** The prompts without an answer in time, except those of magic numbers. */
    overdue: (now: EpochMs, limit: number): Promise<Prompt[]> => expiry.due.all(store, { now, limit }),
    unreported: (limit: number): Promise<Prompt[]> => unreported.all(store, { limit }),
    nextExpiry: async (): Promise<EpochMs | undefined> => (await expiry.next.get(store))?.at ?? undefined,
    findBySession: (sessionId: string): Promise<Prompt | undefined> =>
      findBySession.get(store, { sessionId }),
    insert: insertRow(prompt),
    /** Closes a pending prompt whose result is reported later. The guard loses when it is closed already. */
    close: (end: PromptEnd & { id: string; at: EpochMs }): Write => close({ ...end, reportedAt: null }),
    /** Closes a pending prompt in the batch that records its result. */
    closeReported: close,
    /** Counts a wrong PIN. The guard loses when another one was counted in the meantime. */
    countWrongPin,
    /** Lets a magic number act once more. */
    actAgain,
    /** Charges an approved prompt again. Its results are reported again. */
    chargeAgain,
    /** Marks the results of a prompt as reported, unless another charge was added since it was read. */
    markReported,
  };
}
