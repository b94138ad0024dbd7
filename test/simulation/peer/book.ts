import type Database from 'better-sqlite3';
import type { OracleSession } from '../oracle/session.ts';

type SessionRow = {
  id: string;
  merchant_id: string;
  payer: string;
  reference: string;
  network: string;
  goods_minor: number;
  fee_minor: number;
  amount_minor: number;
  status: OracleSession['states'][number]['state'];
  created_at: number;
  initiated_at: number | null;
  paid_at: number | null;
};

export type PromptRow = {
  id: string;
  session_id: string;
  payer: string;
  status: string;
  charged_minor: number;
  amount_minor: number;
  created_at: number;
};

export type BookDeps = {
  /** The service's file, where it can be read. */
  connection(): Database.Database | undefined;
  /** Grows with every commit. */
  commits(): number;
};

/** The service's sessions and its rail's book, read from its file without its own code, in the oracle's form. */
export function openBook({ connection, commits }: BookDeps) {
  let read: { file: Database.Database; commits: number } | undefined;
  const sessions = new Map<string, OracleSession>();
  const prompts = new Map<string, PromptRow>();
  /** Sessions by the key of the call that made them; the service forgets keys in time, this does not. */
  const made = new Map<string, Set<string>>();

  /** Reads what was committed since. While the service is down, the last that was seen stands. */
  function look(): void {
    const file = connection();
    if (!file?.open || (read?.file === file && read.commits === commits())) return;
    read = { file, commits: commits() };
    prompts.clear();
    for (const row of file.prepare('SELECT * FROM prompt ORDER BY rowid').all() as PromptRow[])
      prompts.set(row.id, row);
    const keys = file.prepare('SELECT key, body FROM idempotency WHERE status = 201').all();
    const keyOf = new Map<string, string>();
    for (const { key, body } of keys as { key: string; body: string }[]) {
      const { id } = JSON.parse(body) as { id: string };
      made.set(key, (made.get(key) ?? new Set()).add(id));
    }
    for (const [key, ids] of made) for (const id of ids) keyOf.set(id, key);
    sessions.clear();
    for (const row of file.prepare('SELECT * FROM payment_session ORDER BY rowid').all() as SessionRow[]) {
      const own = [...prompts.values()].filter(({ session_id }) => session_id === row.id);
      sessions.set(row.id, sessionOf(row, own, keyOf.get(row.id) ?? ''));
    }
  }

  return {
    sessions(): Map<string, OracleSession> {
      look();
      return sessions;
    },
    prompts(): ReadonlyMap<string, PromptRow> {
      look();
      return prompts;
    },
    /** Sessions that calls with that key have made. */
    sessionsOf(key: string): readonly OracleSession[] {
      look();
      return [...(made.get(key) ?? [])].flatMap((id) => sessions.get(id) ?? []);
    },
    keys(): ReadonlyMap<string, ReadonlySet<string>> {
      look();
      return made;
    },
  };
}

export type Book = ReturnType<typeof openBook>;

function sessionOf(row: SessionRow, prompts: readonly PromptRow[], key: string): OracleSession {
  const created = { at: row.created_at, state: 'created' } as const;
  return {
    id: row.id,
    merchant: row.merchant_id,
    idempotencyKey: key,
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
    prompts: prompts.map(promptOf),
    takenMinor: prompts.reduce((sum, one) => sum + one.charged_minor, 0),
    charges: prompts.filter(({ charged_minor }) => charged_minor > 0).length,
    paidAt: row.paid_at === null ? null : new Date(row.paid_at).toISOString(),
    takesLate: false,
  };
}

/** One prompt of the rail's book, as a phone shows it. */
function promptOf({ id, session_id, payer, status, created_at }: PromptRow) {
  return { id, sessionId: session_id, msisdn: payer, at: created_at, answered: status !== 'pending' };
}
