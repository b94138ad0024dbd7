import type Database from 'better-sqlite3';
import type { OracleSession } from '../oracle/session.ts';
import { isCharge, type RailBook, type Shown } from './rail.ts';
import { openTable } from './table.ts';

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

export type BookDeps = {
  /** The service's file, where it can be read. */
  connection(): Database.Database | undefined;
  /** Grows with every commit. */
  commits(): number;
};

/** What one session came to, as the service's file has it. */
export type SessionFile = { session: SessionRow; reviews: readonly ReviewRow[]; events: readonly EventRow[] };

export const isFinal = ({ status }: Pick<SessionRow, 'status'>) =>
  status !== 'created' && status !== 'initiated';

/** The service's book, read from its file without its own code. */
export function openBook({ connection, commits }: BookDeps) {
  const sessions = openTable<SessionRow>('payment_session', ({ id }) => id, isFinal);
  const prompts = openTable<PromptRow>(
    'prompt',
    ({ id }) => id,
    (row) => row.reported_at !== null,
  );
  const reviews = openTable<ReviewRow>(
    'payment_review',
    (row) => `${row.session_id} ${row.paid_at} ${row.paid_minor}`,
    ({ resolution }) => resolution !== null,
  );
  const events = openTable<EventRow>(
    'event',
    ({ id }) => id,
    ({ state }) => state !== 'waiting',
  );
  // A create is answered in one write; what the answer is then does not change.
  const keys = openTable<KeyRow>(
    'idempotency',
    ({ key }) => key,
    () => true,
  );
  /** Sessions by the key of the call that made them; the service forgets keys in time, this does not. */
  const made = new Map<string, Set<string>>();
  const kept = new Set<string>();
  let read: { file: Database.Database; commits: number } | undefined;
  let changed = new Set<string>();

  /** Reads what was committed since. While the service is down, the last that was seen stands. */
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
      kept.add(id);
    }
  }

  const of = <Row extends { session_id: string }>(rows: ReadonlyMap<string, Row>, id: string) =>
    [...rows.values()].filter(({ session_id }) => session_id === id);

  return {
    /** Reads everything anew, also what cannot have changed. */
    readAll: () => look(true),
    /** Sessions of which something was committed since this was last asked. */
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
    fileOf(id: string): SessionFile | undefined {
      look();
      const session = sessions.rows.get(id);
      return session && { session, reviews: of(reviews.rows, id), events: of(events.rows, id) };
    },
    /** Sessions that calls with that key have made. */
    madeBy(key: string): readonly string[] {
      look();
      return [...(made.get(key) ?? [])];
    },
    /** Whether the answer that made a session was kept under its key. */
    isKept(id: string): boolean {
      look();
      return kept.has(id);
    },
    keys(): ReadonlyMap<string, ReadonlySet<string>> {
      look();
      return made;
    },
  };
}

export type Book = ReturnType<typeof openBook>;

/** The service's sessions beside what the rail took for them, in the oracle's form. */
export function oracleOf(book: Book, rail: RailBook, names: ReadonlyMap<string, string>) {
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
      paidAt: row.paid_at === null ? null : new Date(row.paid_at).toISOString(),
      isMismatch: charges.some(({ chargedMinor }) => chargedMinor !== row.amount_minor),
      takesLate: false,
    };
  }
  return {
    get sessions(): Map<string, OracleSession> {
      return new Map([...book.sessions()].map(([id, row]) => [id, sessionOf(row)]));
    },
    sessionsOf: (key: string): readonly OracleSession[] =>
      book.madeBy(key).flatMap((id) => {
        const row = book.sessions().get(id);
        return row ? [sessionOf(row)] : [];
      }),
  };
}

function promptOf({ id, sessionId, payer, at, ends }: Shown) {
  return { id, sessionId, msisdn: payer, at, answered: ends.length > 0 };
}
