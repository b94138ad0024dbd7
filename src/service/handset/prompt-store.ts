import { and, asc, eq, gt, isNotNull, isNull, lte, sql } from 'drizzle-orm';
import { build, prepareWrite } from '../../db/statement.ts';
import type { Store, Write } from '../../db/store.ts';
import type { EpochMs } from '../../shared/clock.ts';
import { filled, insertRow } from '../row-store.ts';
import { prompt } from '../schema.ts';

export type Prompt = typeof prompt.$inferSelect;

export type PromptStore = ReturnType<typeof promptStore>;

export function promptStore({ read }: Store) {
  const { placeholder } = sql;

  const findTest = read
    .select()
    .from(prompt)
    .where(and(eq(prompt.id, placeholder('id')), eq(prompt.livemode, 0)))
    .prepare();
  const pendingTest = read
    .select()
    .from(prompt)
    .where(
      and(
        eq(prompt.payer, placeholder('payer')),
        eq(prompt.livemode, 0),
        eq(prompt.status, 'pending'),
        gt(prompt.expiresAt, placeholder('now')),
      ),
    )
    .orderBy(asc(prompt.createdAt))
    .limit(20)
    .prepare();
  const overdue = read
    .select({ id: prompt.id, expiresAt: prompt.expiresAt })
    .from(prompt)
    .where(and(eq(prompt.status, 'pending'), lte(prompt.expiresAt, placeholder('now'))))
    .orderBy(asc(prompt.expiresAt))
    .limit(placeholder('limit'))
    .prepare();
  const unreported = read
    .select()
    .from(prompt)
    .where(and(isNotNull(prompt.closedAt), isNull(prompt.reportedAt)))
    .orderBy(asc(prompt.closedAt))
    .limit(placeholder('limit'))
    .prepare();
  const nextExpiry = read
    .select({ at: prompt.expiresAt })
    .from(prompt)
    .where(eq(prompt.status, 'pending'))
    .orderBy(asc(prompt.expiresAt))
    .limit(1)
    .prepare();

  const insert = insertRow(prompt);
  const close = prepareWrite<{ id: string; status: Exclude<Prompt['status'], 'pending'>; now: EpochMs }>(
    build
      .update(prompt)
      .set({
        status: filled('status'),
        failure: sql`CASE ${placeholder('status')} WHEN 'failed' THEN 'pin_limit' END`,
        closedAt: filled('now'),
        chargedMinor: sql`CASE ${placeholder('status')} WHEN 'approved' THEN ${prompt.amountMinor} ELSE 0 END`,
      })
      .where(
        and(
          eq(prompt.id, placeholder('id')),
          eq(prompt.status, 'pending'),
          // The payer's answer counts before the prompt's end, the end itself from then on.
          sql`(${prompt.expiresAt} > ${placeholder('now')}) = (${placeholder('status')} <> 'expired')`,
        ),
      ),
    1,
  );
  const countPin = prepareWrite<{ id: string; wrongPins: number }>(
    build
      .update(prompt)
      .set({ wrongPins: sql`${prompt.wrongPins} + 1` })
      .where(
        and(
          eq(prompt.id, placeholder('id')),
          eq(prompt.status, 'pending'),
          eq(prompt.wrongPins, placeholder('wrongPins')),
        ),
      ),
    1,
  );
  const reported = prepareWrite<{ id: string; at: EpochMs }>(
    build
      .update(prompt)
      .set({ reportedAt: filled('at') })
      .where(and(eq(prompt.id, placeholder('id')), isNull(prompt.reportedAt))),
  );

  return {
    /** A prompt of a test session. Prompts of live sessions have no simulated phone. */
    findTest: (id: string): Promise<Prompt | undefined> => findTest.get({ id }),
    pendingTest: (payer: string, now: EpochMs): Promise<Prompt[]> => pendingTest.all({ payer, now }),
    overdue: (now: EpochMs, limit: number): Promise<{ id: string; expiresAt: EpochMs }[]> =>
      overdue.all({ now, limit }),
    unreported: (limit: number): Promise<Prompt[]> => unreported.all({ limit }),
    nextExpiry: async (): Promise<EpochMs | undefined> => (await nextExpiry.get())?.at,
    insert: (row: Prompt): Write => insert(row),
    close,
    countPin,
    reported,
  };
}
