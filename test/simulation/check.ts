import type Database from 'better-sqlite3';
import type { Config } from '../../src/gateway/config/schema.ts';
import { balanceFaults } from './check-balances.ts';
import type { CallSeen } from './network.ts';
import type { Oracle } from './oracle/oracle.ts';
import { type OracleSession, stateOf } from './oracle/session.ts';
import type { Payer } from './payer.ts';
import type { Timeliness } from './timeliness.ts';

/** What the gateway's file says of a collection, read without the gateway's own code. */
type Held = {
  id: string;
  merchant_id: string;
  status: string;
  create_key: string;
  create_body: string;
  session_id: string | null;
  amount_minor: number | null;
  booked: string | null;
  review: string | null;
  initiate_sent_at: number | null;
  reason: string | null;
  amount_source: string | null;
  initiate_sends: number;
  closed_at: number | null;
  opened_at: number;
  network: string;
};

type Posting = { seq: number; collection_id: string; booking: string; account: string; amount_minor: number };
type Fact = { seq: number; collection_id: string; version: number; kind: string; data: string; at: number };

export type CheckDeps = {
  oracle: Pick<Oracle, 'sessions' | 'sessionsOf' | 'acknowledged' | 'hasSaid' | 'hasToldFailed'>;
  violate(rule: string, what: string): void;
  timings: Pick<Config['timings'], 'promptDeadlineMs'>;
  timeliness: Timeliness;
  /** The gateway's clock may be wrong: it may find events stale, which book nothing. */
  mayFindStale: boolean;
};

/** A payer read that a prompt comes, in this session of a channel. */
export type Announced = { channel: string; session: string };

/** Yeses after which somebody must have been served, whatever failed. */
const maxUnserved = 8;

/** Steps after which all rows are compared with those that were there before. */
const stepsBetweenCopies = 20;

/** The invariants, asked of the gateway's file and of the oracle's book. */
export function openChecks({ oracle, violate, timings, timeliness, mayFindStale }: CheckDeps) {
  /** Rows that were seen: they stay, as they are. */
  let facts: string[] = [];
  let postings: string[] = [];
  let steps = 0;
  /** Initiates that have left, by collection. */
  const initiates = new Map<string, number>();

  /** Highest numbers of the rows that were looked at. */
  let looked = { fact: 0, posting: 0 };
  const prepared = new WeakMap<Database.Database, Map<string, Database.Statement>>();

  function all<T>(file: Database.Database, sql: string, ...args: unknown[]): T[] {
    const statements = prepared.get(file) ?? new Map<string, Database.Statement>();
    prepared.set(file, statements);
    const statement = statements.get(sql) ?? file.prepare(sql);
    statements.set(sql, statement);
    return statement.all(...args) as T[];
  }

  const collections = (file: Database.Database) => all<Held>(file, 'SELECT * FROM collection ORDER BY rowid');
  const sessionsOf = (held: Pick<Held, 'create_key'>) => oracle.sessionsOf(held.create_key);

  /** I1 and I6: nobody was asked twice, and nobody at all where we say so. */
  function prompts(held: Held): void {
    const sessions = sessionsOf(held);
    const pushes = sessions.reduce((sum, one) => sum + one.prompts.length, 0);
    if (pushes > 1) violate('I1', `${pushes} prompts for ${held.id}`);
    if (sessions.filter((one) => one.initiates > 0).length > 1)
      violate('I1', `two sessions of ${held.id} were initiated`);
    if (held.status === 'abandoned' && pushes > 0) violate('I6', `${held.id} is abandoned, and was pushed`);
  }

  /** I2, I3 and I12: the journal balances, closes each collection once, and only grows. */
  function journal(file: Database.Database): void {
    const [sum] = all<{ sum: number | null }>(file, 'SELECT sum(amount_minor) AS sum FROM posting');
    if ((sum?.sum ?? 0) !== 0) violate('I3', `the ledger sums to ${sum?.sum}`);
    const uneven = all<{ id: string }>(
      file,
      'SELECT collection_id AS id FROM posting GROUP BY collection_id, booking HAVING sum(amount_minor) <> 0',
    );
    for (const { id } of uneven) violate('I3', `the postings of ${id} do not balance`);
    const twice = all<{ id: string }>(
      file,
      `SELECT collection_id AS id FROM posting WHERE booking IN ('paid', 'suspense') AND account = 'payers'
       GROUP BY collection_id HAVING count(*) > 1`,
    );
    for (const { id } of twice) violate('I2', `${id} was closed twice`);
    const back = all<{ id: string }>(
      file,
      `SELECT a.collection_id AS id FROM fact a JOIN fact b ON b.collection_id = a.collection_id AND b.version = a.version + 1
       WHERE b.at < a.at`,
    );
    for (const { id } of back) violate('I12', `the times of ${id} go back`);
  }

  /** I1: a payer has one prompt of a merchant to wait for, and an unpaid collection is repeated at most once. */
  function duplicates(file: Database.Database): void {
    const open = all<{ id: string }>(
      file,
      `SELECT max(id) AS id FROM collection
       WHERE status IN ('accepted', 'created', 'initiating', 'initiated') AND lapsed_at IS NULL
       GROUP BY merchant_id, payer HAVING count(*) > 1`,
    );
    for (const { id } of open) violate('I1', `${id} was opened while its payer had an open collection`);
    const repeated = all<{ id: string }>(
      file,
      'SELECT retry_of AS id FROM collection WHERE retry_of IS NOT NULL GROUP BY retry_of HAVING count(*) > 1',
    );
    for (const { id } of repeated) violate('I1', `${id} was repeated twice`);
  }

  /** I3: what was written once stays, as it was. */
  function kept(file: Database.Database): void {
    facts = grown('fact', facts, all<Fact>(file, 'SELECT * FROM fact ORDER BY seq'));
    postings = grown('posting', postings, all<Posting>(file, 'SELECT * FROM posting ORDER BY seq'));
  }

  function grown(table: string, before: readonly string[], rows: readonly object[]): string[] {
    const now = rows.map((row) => JSON.stringify(row));
    const changed = before.findIndex((row, index) => row !== now[index]);
    if (changed >= 0) violate('I3', `row ${changed + 1} of ${table} was changed or lost: ${before[changed]}`);
    return now;
  }

  /** I8: each initiate that leaves was written down as one more. */
  function writtenBefore(held: Held): void {
    const sent = (initiates.get(held.id) ?? 0) + 1;
    initiates.set(held.id, sent);
    if (sent > held.initiate_sends)
      violate('I8', `initiate ${sent} of ${held.id} leaves, and ${held.initiate_sends} were written`);
  }

  /** The session on a channel in which a collection was agreed to. */
  function sessionOf(file: Database.Database, { id }: Held): string {
    const [turn] = all<{ channel: string; session: string }>(
      file,
      'SELECT channel, session FROM turn WHERE collection_id = ? ORDER BY at LIMIT 1',
      id,
    );
    return `${turn?.channel} ${turn?.session}`;
  }

  /** What a collection's postings say, by account. */
  function bookedOf(file: Database.Database, { id }: Held): string {
    const rows = all<Posting>(file, 'SELECT * FROM posting WHERE collection_id = ? ORDER BY account', id);
    return JSON.stringify(rows.map((row) => [row.account, row.amount_minor]));
  }

  /** I5: what is booked is what was taken, each part of it where it belongs. */
  function bookedRightly(file: Database.Database, held: Held, sessions: readonly OracleSession[]): void {
    const taken = sessions.find(({ takenMinor }) => takenMinor > 0);
    if (!taken) return;
    if (held.status === 'paid' && held.review === null && held.booked === 'paid') {
      const should = JSON.stringify([
        [`merchant:${held.merchant_id}`, taken.goodsMinor],
        ['payers', -taken.amountMinor],
        ['service_fees', taken.feeMinor],
      ]);
      const is = bookedOf(file, held);
      if (is !== should) violate('I5', `${held.id} is booked as ${is}, and was taken as ${should}`);
    }
    // Of money that was taken twice, each event names its own.
    if (held.booked === 'suspense' && held.amount_source === 'webhook' && taken.charges === 1) {
      const should = JSON.stringify([
        ['payers', -taken.takenMinor],
        ['suspense', taken.takenMinor],
      ]);
      const is = bookedOf(file, held);
      if (is !== should) violate('I5', `${held.id} is held as ${is}, and was taken as ${should}`);
    }
  }

  /** Whether an abandoned collection is one for a reason that is true. */
  function isProven(held: Held, sessions: readonly OracleSession[]): boolean {
    const { reason, opened_at, closed_at, create_key } = held;
    switch (reason) {
      case 'prompt_deadline':
        return (closed_at ?? 0) - opened_at >= timings.promptDeadlineMs;
      case 'never_prompted':
        return sessions.every(({ prompts }) => prompts.length === 0);
      case null:
        return false;
      default:
        return [create_key, ...sessions.map(({ id }) => id)].some((one) => oracle.hasSaid(one, reason));
    }
  }

  /** R4: nothing ends a collection but what the service said of it. */
  function ended(held: Held, sessions: readonly OracleSession[]): void {
    if (held.status === 'abandoned' && !isProven(held, sessions))
      violate('R4', `${held.id} is abandoned (${held.reason}), and nothing says so`);
    if (held.status !== 'failed' && held.status !== 'expired') return;
    const said = sessions.some(
      ({ id, states }) =>
        oracle.hasToldFailed(id) || states.some(({ state }) => state === 'failed' || state === 'expired'),
    );
    if (!said) violate('R4', `${held.id} is ${held.status}, and nobody said so`);
  }

  return {
    /** A call leaves: its row was there before, with these bytes (I8), and its payer agreed to it. */
    onCall(file: Database.Database, call: CallSeen): void {
      const key = call.headers['idempotency-key'] ?? '';
      if (call.kind === 'create') {
        const [row] = all<{ body: string }>(
          file,
          `SELECT create_body AS body FROM collection WHERE create_key = ?
           UNION ALL SELECT create_body FROM quote WHERE create_key = ?`,
          key,
          key,
        );
        if (row?.body !== call.body) violate('I8', `create leaves without its row (${key})`);
      } else if (call.kind === 'initiate') {
        const [, id = ''] = /sessions\/([^/]+)\//.exec(call.path) ?? [];
        const [row] = all<Held>(
          file,
          'SELECT * FROM collection WHERE session_id = ?',
          decodeURIComponent(id),
        );
        // News may have closed it in the same instant; that the right to send was won stays written.
        if (row?.initiate_sent_at == null) violate('I8', `initiate of ${id} leaves without its row`);
        else {
          writtenBefore(row);
          timeliness.onInitiate({ id: row.id, network: row.network, session: sessionOf(file, row) });
        }
      }
    },
    /** What must hold after every step. */
    step(file: Database.Database): void {
      const [now] = all<{ fact: number; posting: number }>(
        file,
        'SELECT (SELECT coalesce(max(seq), 0) FROM fact) AS fact, (SELECT coalesce(max(seq), 0) FROM posting) AS posting',
      );
      if (!now || (now.fact === looked.fact && now.posting === looked.posting)) return;
      const changed = all<Held>(
        file,
        'SELECT * FROM collection WHERE id IN (SELECT collection_id FROM fact WHERE seq > ?)',
        Math.min(looked.fact, now.fact - 1),
      );
      for (const held of changed) {
        timeliness.saw(held.id);
        prompts(held);
        ended(held, sessionsOf(held));
      }
      if (now.posting !== looked.posting) journal(file);
      duplicates(file);
      looked = now;
      steps += 1;
      if (steps % stepsBetweenCopies === 0) kept(file);
    },
    /** A screen that announces a prompt is shown only when its collection is on disk. */
    announced(file: Database.Database, screens: readonly Announced[]): void {
      for (const { channel, session } of screens) {
        const [opened] = all<{ id: string }>(
          file,
          'SELECT collection_id AS id FROM turn WHERE channel = ? AND session = ? AND collection_id IS NOT NULL',
          channel,
          session,
        );
        if (!opened) violate('I1', `${session} on ${channel} announced a prompt, and has no collection`);
      }
    },
    /** After a start: what was written is there still, and so is what was acknowledged (I4). */
    afterStart(file: Database.Database): void {
      for (const held of collections(file)) prompts(held);
      journal(file);
      kept(file);
      const there = new Set(
        all<{ id: string }>(file, 'SELECT event_id AS id FROM inbox').map(({ id }) => id),
      );
      for (const id of oracle.acknowledged.keys())
        if (!there.has(id)) violate('I4', `${id} was acknowledged and is lost`);
    },
    /** I5, I6, I10 and I13, once everything is quiet: our books and the oracle's say the same. */
    quiet(file: Database.Database, payers: readonly Payer[]): void {
      const known = new Set<string>();
      for (const held of collections(file)) {
        prompts(held);
        const sessions = sessionsOf(held);
        for (const one of sessions) known.add(one.id);
        const takenMinor = sessions.reduce((sum, one) => sum + one.takenMinor, 0);
        const is = `${held.id} is ${held.status} (${held.reason ?? held.review ?? 'no reason'})`;
        if (['accepted', 'created', 'initiating', 'initiated'].includes(held.status))
          violate(
            'liveness',
            `${is} and open still; the service says ${sessions.map((one) => stateOf(one))}`,
          );
        if (held.status === 'paid' && held.review === null && takenMinor !== held.amount_minor)
          violate('I5', `${is}, and ${takenMinor} of ${held.amount_minor} pesewas were taken`);
        if (held.status === 'paid' && held.review === null && sessions.some(({ isMismatch }) => isMismatch))
          violate('I5', `${is}, and other amounts than the quote's were told of`);
        bookedRightly(file, held, sessions);
        // An event that a wrong clock finds stale books nothing: a person must.
        const isStale = mayFindStale && held.status === 'review';
        if (takenMinor > 0 && held.status !== 'paid' && held.status !== 'review')
          violate('I5', `${is}, and ${takenMinor} pesewas were taken`);
        if (takenMinor > 0 && held.booked === null && !isStale)
          violate('I5', `${is}: ${takenMinor} pesewas are booked nowhere`);
        if (takenMinor === 0 && held.booked !== null)
          violate('I5', `${is}: money is booked that nobody gave`);
      }
      for (const session of oracle.sessions.values()) {
        if (!known.has(session.id) && session.initiates > 0)
          violate('I1', `${session.id} was initiated, and belongs to no collection`);
      }
      for (const { id } of all<{ id: string }>(file, "SELECT event_id AS id FROM inbox WHERE state = 'dead'"))
        violate('liveness', `${id} was dead-lettered`);
      const agreed = payers.reduce((sum, one) => sum + one.consents.length, 0);
      const pushes = [...oracle.sessions.values()].reduce((sum, one) => sum + one.prompts.length, 0);
      if (pushes > agreed) violate('I1', `${pushes} prompts for ${agreed} yeses`);
      const opened = collections(file).length;
      if (opened > agreed) violate('I1', `${opened} collections for ${agreed} yeses`);
      for (const fault of balanceFaults(file)) violate('I3', fault);
      if (agreed >= maxUnserved && opened === 0) violate('liveness', `of ${agreed} yeses nothing came`);
      journal(file);
      kept(file);
    },
  };
}
