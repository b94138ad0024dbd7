import { and, asc, eq, gte, lt, ne, or, sql } from 'drizzle-orm';
import type { EpochMs } from '../shared/clock.ts';
import { build, prepareQuery } from '../sqlite/statement.ts';
import type { Store } from '../sqlite/store.ts';
import { isoTimeOrNull } from './http/response.ts';
import { type Livemode, prompt, reviewTable, sessionTable } from './schema.ts';

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

/** The charges of one day. */
const maxStatementCharges = 20_000;

/** A charge in the statement of a day: `in_review` until a person accepts it, or rejects it: then its refund is due, or was made. */
type StatementCharge = {
  sessionId: string;
  paidAt: EpochMs;
  status: 'paid' | 'in_review' | 'refund_due' | 'refunded';
  feeMinor: number;
  totalMinor: number;
  refundedAt: EpochMs | null;
};

/** A span of time of a merchant in one mode: `to` is not included. */
export type DayOfMerchant = { merchantId: string; livemode: Livemode; from: EpochMs; to: EpochMs };

const { placeholder } = sql;

const limit = maxStatementCharges + 1;

const paid = prepareQuery(
  build
    .select({
      sessionId: sessionTable.id,
      paidAt: sql<number>`${sessionTable.paidAt}`,
      feeMinor: sessionTable.feeMinor,
      totalMinor: sql<number>`${sessionTable.paidMinor}`,
    })
    .from(sessionTable)
    .where(
      and(
        eq(sessionTable.merchantId, placeholder('merchantId')),
        eq(sessionTable.livemode, placeholder('livemode')),
        gte(sessionTable.paidAt, placeholder('from')),
        lt(sessionTable.paidAt, placeholder('to')),
      ),
    )
    .orderBy(asc(sessionTable.paidAt))
    .limit(limit),
);

/** An accepted charge that closed its session is among the paid sessions. */
const reviewed = prepareQuery(
  build
    .select({
      sessionId: reviewTable.sessionId,
      paidAt: reviewTable.paidAt,
      resolution: reviewTable.resolution,
      refundedAt: reviewTable.refundedAt,
      feeMinor: sessionTable.feeMinor,
      totalMinor: reviewTable.paidMinor,
    })
    .from(reviewTable)
    .innerJoin(sessionTable, eq(sessionTable.id, reviewTable.sessionId))
    .where(
      and(
        eq(reviewTable.merchantId, placeholder('merchantId')),
        eq(reviewTable.livemode, placeholder('livemode')),
        gte(reviewTable.paidAt, placeholder('from')),
        lt(reviewTable.paidAt, placeholder('to')),
        or(
          sql`${sessionTable.paidAt} IS NULL`,
          ne(sessionTable.paidAt, reviewTable.paidAt),
          ne(sessionTable.paidMinor, reviewTable.paidMinor),
        ),
      ),
    )
    .orderBy(asc(reviewTable.paidAt))
    .limit(limit),
);

/** Reads the charges of a merchant in a span of time, oldest first; undefined when there are more than `maxStatementCharges`. */
export async function readDayCharges(
  store: Store,
  day: DayOfMerchant,
): Promise<StatementCharge[] | undefined> {
  const sessions = await paid.all(store, day);
  const reviews = await reviewed.all(store, day);
  if (sessions.length + reviews.length > maxStatementCharges) return undefined;
  const charges = [
    ...sessions.map((one) => ({ ...one, status: 'paid' as const, refundedAt: null })),
    ...reviews.map(({ resolution, ...one }) => ({ ...one, status: getStatus(resolution, one.refundedAt) })),
  ];
  return charges.sort(
    (one, other) => one.paidAt - other.paidAt || (one.sessionId < other.sessionId ? -1 : 1),
  );
}

function getStatus(
  resolution: 'accepted' | 'rejected' | null,
  refundedAt: EpochMs | null,
): StatementCharge['status'] {
  if (resolution === null) return 'in_review';
  if (resolution === 'accepted') return 'paid';
  return refundedAt === null ? 'refund_due' : 'refunded';
}

const columns = ['session_id', 'paid_at', 'status', 'price', 'fee', 'total', 'refunded_at'] as const;

/** Writes the statement of a day as CSV (RFC 4180). Amounts are decimals in cedis. No cell needs quotes. */
export function writeStatement(charges: readonly StatementCharge[]): string {
  const rows = charges.map(({ sessionId, paidAt, status, feeMinor, totalMinor, refundedAt }) => [
    ...[sessionId, isoTimeOrNull(paidAt), status],
    ...[
      decimal(totalMinor - feeMinor),
      decimal(feeMinor),
      decimal(totalMinor),
      isoTimeOrNull(refundedAt) ?? '',
    ],
  ]);
  return [columns, ...rows].map((cells) => `${cells.join(',')}\r\n`).join('');
}

/** Formats pesewas as `20.20`. A charge below the fee has a price below zero. */
function decimal(minor: number): string {
  const digits = String(Math.abs(minor)).padStart(3, '0');
  return `${minor < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
