import type { Database } from '../../../src/sqlite/driver.ts';
import type { OracleSession } from '../oracle/session.ts';
import { isCharge, type RailRecords, type Shown } from './rail.ts';
import { createTable } from './table.ts';

export type SessionRow = {
  id: string;
  merchant_id: string;
  payer: string;
  reference: string;
  network: string;
  goods_minor: number;
  fee_minor: number;
  net_minor: number;
  amount_minor: number;
  status: 'created' | 'initiated' | 'paid' | 'failed' | 'expired';
  reason: string | null;
  created_at: number;
  initiated_at: number | null;
  paid_at: number | null;
  closed_at: number | null;
  held_at: number | null;
};

export type PromptRow = {
  id: string;
  session_id: string;
  payer: string;
  status: 'pending' | 'approved' | 'declined' | 'failed' | 'expired';
  failure: 'pin_limit' | 'insufficient_funds' | null;
  charged_minor: number;
  amount_minor: number;
  created_at: number;
  expires_at: number;
  closed_at: number | null;
  reported_at: number | null;
};

export type ReviewRow = {
  session_id: string;
  reason: 'paid_short' | 'paid_over' | 'late_approval' | 'second_charge';
  paid_minor: number;
  paid_at: number;
  resolution: 'accepted' | 'rejected' | null;
  refunded_at: number | null;
};

export type EventRow = {
  id: string;
  session_id: string;
  type: string;
  body: string;
  created_at: number;
  state: 'waiting' | 'delivered' | 'given_up' | 'no_endpoint' | 'endpoint_disabled';
  next_at: number | null;
  attempts: number;
  last_attempt_at: number | null;
};

type KeyRow = { key: string; status: number; body: string };

export type ServiceRecordsDeps = {
  /** The connection to the service's file, while the service runs. */
  connection(): Database | undefined;
  /** The number of commits so far. */
  commits(): number;
};

/** A session with its reviews and events, as the service's file has them. */
export type SessionRecord = {
  session: SessionRow;
  reviews: readonly ReviewRow[];
  events: readonly EventRow[];
};

export const isFinal = ({ status }: Pick<SessionRow, 'status'>) =>
  status !== 'created' && status !== 'initiated';

/** Reads the service's records from its file, without the service's code. */
export function createServiceRecords({ connection, commits }: ServiceRecordsDeps) {
  const sessions = createTable<SessionRow>('payment_session', ({ id }) => id, isFinal);
  const prompts = createTable<PromptRow>(
    'prompt',
    ({ id }) => id,
    (row) => row.reported_at !== null,
  );
  const reviews = createTable<ReviewRow>(
    'payment_review',
    (row) => `${row.session_id} ${row.paid_at} ${row.paid_minor}`,
    ({ resolution, refunded_at }) => resolution === 'accepted' || refunded_at !== null,
  );
  const events = createTable<EventRow>(
    'event',
    ({ id }) => id,
    ({ state }) => state !== 'waiting',
  );
  // The response to a create is written once and does not change.
  const keys = createTable<KeyRow>(
    'idempotency',
    ({ key }) => key,
    () => true,
  );
  /** Sessions by the key of the create call. Unlike the service, this never deletes a key. */
  const made = new Map<string, Set<string>>();
  const withStoredResponse = new Set<string>();
  let read: { file: Database; commits: number } | undefined;
  let changed = new Set<string>();

  /** Reads new commits. While the service is down, the last state that was read stays. */
  function look(isAll = false): void {
    const file = connection();
    if (!file?.open || (!isAll && read?.file === file && read.commits === commits())) return;
    const everything = isAll || read?.file !== file;
    read = { file, commits: commits() };
    for (const { id } of sessions.read(file, everything)) changed.add(id);
    for (const table of [prompts, reviews, events])
      for (const { session_id } of table.read(file, everything)) changed.add(session_id);
    for (const { key, status, body } of keys.read(file, everything)) {
      if (status !== 201) continue;
      const { id } = JSON.parse(body) as { id: string };
      made.set(key, (made.get(key) ?? new Set()).add(id));
      withStoredResponse.add(id);
    }
  }

  const of = <Row extends { session_id: string }>(rows: ReadonlyMap<string, Row>, id: string) =>
    [...rows.values()].filter(({ session_id }) => session_id === id);

  return {
    /** Reads all rows again, also those that cannot have changed. */
    readAll: () => look(true),
    /** Returns the sessions that changed since the last call. */
    changed(): readonly string[] {
      look();
      const ids = [...changed];
      changed = new Set();
      return ids;
    },
    sessions(): ReadonlyMap<string, SessionRow> {
      look();
      return sessions.rows;
    },
    prompts(): readonly PromptRow[] {
      look();
      return [...prompts.rows.values()];
    },
    promptsOf(sessionId: string): readonly PromptRow[] {
      look();
      return of(prompts.rows, sessionId);
    },
    reviews(): readonly ReviewRow[] {
      look();
      return [...reviews.rows.values()];
    },
    events(): ReadonlyMap<string, EventRow> {
      look();
      return events.rows;
    },
    recordOf(id: string): SessionRecord | undefined {
      look();
      const session = sessions.rows.get(id);
      return session && { session, reviews: of(reviews.rows, id), events: of(events.rows, id) };
    },
    /** Returns the sessions that calls with this key created. */
    madeBy(key: string): readonly string[] {
      look();
      return [...(made.get(key) ?? [])];
    },
    /** Whether the response that created a session is stored under its key. */
    hasStoredResponse(id: string): boolean {
      look();
      return withStoredResponse.has(id);
    },
    keys(): ReadonlyMap<string, ReadonlySet<string>> {
      look();
      return made;
    },
  };
}

export type ServiceRecords = ReturnType<typeof createServiceRecords>;

/** Returns the service's sessions with the charges of the rail, in the oracle's form. */
export function oracleOf(records: ServiceRecords, rail: RailRecords, names: ReadonlyMap<string, string>) {
  function sessionOf(row: SessionRow): OracleSession {
    const { shown } = rail.of(row.id);
    const charges = shown.flatMap(({ ends }) => ends).filter(isCharge);
    const created = { at: row.created_at, state: 'created' } as const;
    return {
      id: row.id,
      merchant: names.get(row.merchant_id) ?? '',
      idempotencyKey: '',
      body: '',
      msisdn: row.payer,
      reference: row.reference,
      network: row.network,
      goodsMinor: row.goods_minor,
      feeMinor: row.fee_minor,
      amountMinor: row.amount_minor,
      createdAt: row.created_at,
      states: row.status === 'created' ? [created] : [created, { at: row.created_at, state: row.status }],
      initiates: row.initiated_at === null ? 0 : 1,
      prompts: shown.map(promptOf),
      takenMinor: charges.reduce((sum, one) => sum + one.chargedMinor, 0),
      charges: charges.length,
      refundedMinor: refundedOf(records, row.id),
      paidAt: row.paid_at === null ? null : new Date(row.paid_at).toISOString(),
      isMismatch: charges.some(({ chargedMinor }) => chargedMinor !== row.amount_minor),
      isOtherCurrency: false,
      acceptsLateApproval: false,
    };
  }
  return {
    get sessions(): Map<string, OracleSession> {
      return new Map([...records.sessions()].map(([id, row]) => [id, sessionOf(row)]));
    },
    sessionsOf: (key: string): readonly OracleSession[] =>
      records.madeBy(key).flatMap((id) => {
        const row = records.sessions().get(id);
        return row ? [sessionOf(row)] : [];
      }),
  };
}

/** Returns what the service returned of second charges, as far as its events are delivered. */
function refundedOf(records: ServiceRecords, id: string): number {
  const events = records.recordOf(id)?.events ?? [];
  return events
    .filter(({ type, state }) => type === 'payment.session.refund_settled' && state === 'delivered')
    .map(
      ({ body }) => (JSON.parse(body) as { data: { reason: string; refund: { amount_minor: number } } }).data,
    )
    .filter(({ reason }) => reason === 'second_charge')
    .reduce((sum, { refund }) => sum + refund.amount_minor, 0);
}

function promptOf({ id, sessionId, payer, at, ends }: Shown) {
  return { id, sessionId, msisdn: payer, at, answered: ends.length > 0 };
}
