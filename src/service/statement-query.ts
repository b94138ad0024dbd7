import { asc, eq, sql } from 'drizzle-orm';
import { build, prepareQuery } from '../sqlite/statement.ts';
import type { Store } from '../sqlite/store.ts';
import { prompt, sessionTable } from './schema.ts';

const maxSessions = 100_000;

export type StatementRow = {
  sessionId: string;
  merchantId: string;
  livemode: 0 | 1;
  reference: string | null;
  status: string;
  amountMinor: number;
  /** Prompts that the simulated rail sent. */
  pushes: number;
  /** The amount that the simulated rail charged the payer. */
  chargedMinor: number;
};

/** The sessions of the service, for a client that reconciles its ledger. */
export type SettlementStatement = { sessions: StatementRow[]; pushes: number; chargedMinor: number };

const rows = prepareQuery(
  build
    .select({
      sessionId: sessionTable.id,
      merchantId: sessionTable.merchantId,
      livemode: sessionTable.livemode,
      reference: sessionTable.reference,
      status: sessionTable.status,
      amountMinor: sessionTable.amountMinor,
      pushes: sql<number>`count(${prompt.id})`,
      chargedMinor: sql<number>`coalesce(sum(${prompt.chargedMinor} * (1 + (${prompt.chargedAgainAt} IS NOT NULL))), 0)`,
    })
    .from(sessionTable)
    .leftJoin(prompt, eq(prompt.sessionId, sessionTable.id))
    .groupBy(sessionTable.id)
    .orderBy(asc(sessionTable.id))
    .limit(maxSessions),
);

/** Reads the sessions with the prompts and charges of the simulated rail, oldest first, the first 100,000. */
export function statementReader(store: Store): () => Promise<SettlementStatement> {
  return async () => {
    const sessions = await rows.all(store);
    return {
      sessions,
      pushes: sessions.reduce((sum, row) => sum + row.pushes, 0),
      chargedMinor: sessions.reduce((sum, row) => sum + row.chargedMinor, 0),
    };
  };
}
