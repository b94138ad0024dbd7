import type { Config } from '../../src/gateway/config/schema.ts';
import type { CompiledStatement, Database } from '../../src/sqlite/driver.ts';
import { createLedgerChecks, type Posting } from './check-ledger.ts';
import { balanceFaults, moneyFaults } from './check-money.ts';
import type { CallSeen } from './network.ts';
import type { Oracle } from './oracle/oracle.ts';
import { type OracleSession, stateOf } from './oracle/session.ts';
import type { Payer } from './payer.ts';
import type { LastTurn, Timeliness } from './timeliness.ts';

/** A collection row, read without the gateway's code. */
type CollectionRow = {
  id: string;
  merchant_id: string;
  status: string;
  create_key: string;
  create_body: string;
  session_id: string | null;
  amount_minor: number | null;
  booked: string | null;
  /** The unplaced payment that people matched. Its money is of another session. */
  unplaced_id: string | null;
  confirmed_at: number | null;
  review: string | null;
  initiate_sent_at: number | null;
  reason: string | null;
  amount_source: string | null;
  initiate_sends: number;
  closed_at: number | null;
  opened_at: number;
  network: string;
  payer: string;
};

export type CheckDeps = {
  oracle: Pick<
    Oracle,
    'sessions' | 'sessionsOf' | 'acknowledged' | 'hasGivenReason' | 'hasPolledEnd' | 'hasForgedPaid'
  >;
  violate(rule: string, what: string): void;
  timings: Pick<Config['timings'], 'promptDeadlineMs'>;
  timeliness: Timeliness;
  /** Above this amount, two people decide. */
  secondPersonAboveMinor: number;
  /** With a wrong clock the gateway may classify events as stale, which book nothing. */
  mayFindStale: boolean;
};

/** A screen announced a prompt in this session of a channel. */
export type Announced = { channel: string; session: string };

/** After this many confirmations at least one collection must exist. */
const minConfirmations = 8;

/** Of several gateways, one can commit so many lower numbers after a higher one. */
const lateRows = 40;

/** All rows are compared with earlier copies after this many steps. */
const stepsBetweenCopies = 20;

/** Creates the checks of the invariants, which compare the gateway's file with the service's records. */
export function createChecks({ oracle, violate, timings, timeliness, mayFindStale, ...deps }: CheckDeps) {
  const { secondPersonAboveMinor } = deps;
  let steps = 0;
  /** Decisions whose amount was checked. A later report can change the amount of their subject. */
  const decided = new Set<string>();
  /** Initiate calls that left, by collection. */
  const initiates = new Map<string, number>();

  /** The highest sequence numbers that were checked. */
  let checked = { fact: 0, posting: 0 };
  const prepared = new WeakMap<Database, Map<string, CompiledStatement>>();

  function all<T>(file: Database, sql: string, ...args: unknown[]): T[] {
    const statements = prepared.get(file) ?? new Map<string, CompiledStatement>();
    prepared.set(file, statements);
    const statement = statements.get(sql) ?? file.prepare(sql);
    statements.set(sql, statement);
    return statement.all(...args) as T[];
  }

  const { checkLedger, checkAppendOnly, checkDuplicates } = createLedgerChecks({ all, violate });
  const collections = (file: Database) => all<CollectionRow>(file, 'SELECT * FROM collection ORDER BY rowid');
  const sessionsOf = (row: Pick<CollectionRow, 'create_key'>) => oracle.sessionsOf(row.create_key);

  /** I1, I6: one prompt per collection, none for an abandoned one. */
  function checkPrompts(row: CollectionRow): void {
    const sessions = sessionsOf(row);
    const pushes = sessions.reduce((sum, one) => sum + one.prompts.length, 0);
    if (pushes > 1) violate('I1', `${pushes} prompts for ${row.id}`);
    if (sessions.filter((one) => one.initiates > 0).length > 1)
      violate('I1', `two sessions of ${row.id} were initiated`);
    if (row.status === 'abandoned' && pushes > 0)
      violate('I6', `${row.id} is abandoned although a prompt was sent`);
  }

  /** I8: each initiate call was recorded before it left. */
  function checkSends(row: CollectionRow): void {
    const sent = (initiates.get(row.id) ?? 0) + 1;
    initiates.set(row.id, sent);
    if (sent > row.initiate_sends)
      violate('I8', `initiate ${sent} of ${row.id} leaves, but ${row.initiate_sends} are recorded`);
  }

  /** Returns the channel and session in which a collection was confirmed, and those in which payers read that it is waiting. */
  function sessionsWith(file: Database, { id }: CollectionRow): [string, ...string[]] {
    const [first, ...others] = all<{ channel: string; session: string }>(
      file,
      'SELECT channel, session FROM turn WHERE collection_id = ? ORDER BY at',
      id,
    ).map(({ channel, session }) => `${channel} ${session}`);
    return [first ?? 'unknown', ...others];
  }

  /** Returns the last turn of the payer's phone when the prompt was decided. */
  function lastTurnOf(file: Database, { payer, initiate_sent_at: at }: CollectionRow): LastTurn | undefined {
    const [turn] = all<LastTurn>(
      file,
      'SELECT reply, at FROM turn WHERE dialler = ? AND at <= ? ORDER BY at DESC, seq DESC LIMIT 1',
      payer,
      at,
    );
    return turn;
  }

  /** Returns the balance of a collection in each account that has one. */
  function postingsOf(file: Database, { id }: CollectionRow): string {
    const rows = all<Posting>(
      file,
      `SELECT account, sum(amount_minor) AS amount_minor FROM posting WHERE subject_id = ?
       GROUP BY account HAVING sum(amount_minor) <> 0 ORDER BY account`,
      id,
    );
    return JSON.stringify(rows.map((row) => [row.account, row.amount_minor]));
  }

  /** The balances of a collection whose money is all in suspense. */
  function suspended(amountMinor: number | null): string {
    return JSON.stringify([
      ['payers', -(amountMinor ?? 0)],
      ['suspense', amountMinor],
    ]);
  }

  /** I5: the booked amounts are the charged amounts, on the right accounts. */
  function checkBooking(file: Database, row: CollectionRow, sessions: readonly OracleSession[]): void {
    const taken = sessions.find(({ takenMinor }) => takenMinor > 0);
    if (!taken || row.unplaced_id !== null) return;
    if (row.status === 'paid' && row.review === null && row.booked === 'paid') {
      const expected = JSON.stringify([
        [`merchant:${row.merchant_id}`, taken.goodsMinor],
        ['payers', -taken.amountMinor],
        ['service_fees', taken.feeMinor],
      ]);
      const is = postingsOf(file, row);
      if (is !== expected) violate('I5', `${row.id} is booked as ${is}, but was charged as ${expected}`);
    }
    // After a second charge each event has its own amount.
    if (row.booked === 'suspense' && row.amount_source === 'webhook' && taken.charges === 1) {
      // The first reported amount stays booked until a person decides, and a forged event states the quote.
      const isForged = sessions.some(({ id }) => oracle.hasForgedPaid(id));
      const expected = suspended(isForged ? row.amount_minor : taken.takenMinor);
      const is = postingsOf(file, row);
      if (is !== expected) violate('I5', `${row.id} is suspended as ${is}, but was charged as ${expected}`);
    }
  }

  /** Whether the reason of an abandoned collection is true. */
  function hasTrueReason(row: CollectionRow, sessions: readonly OracleSession[]): boolean {
    const { reason, opened_at, closed_at, create_key } = row;
    switch (reason) {
      case 'prompt_deadline':
        return (closed_at ?? 0) - opened_at >= timings.promptDeadlineMs;
      case 'never_prompted':
        return sessions.every(({ prompts }) => prompts.length === 0);
      case null:
        return false;
      default:
        return [create_key, ...sessions.map(({ id }) => id)].some((one) =>
          oracle.hasGivenReason(one, reason),
        );
    }
  }

  /** I5: a payment is confirmed only after the money was taken. */
  function checkConfirmed(row: CollectionRow, sessions: readonly OracleSession[]): void {
    if (row.confirmed_at === null || row.unplaced_id !== null) return;
    if (sessions.every(({ takenMinor }) => takenMinor === 0))
      violate('I5', `${row.id} is confirmed, but no money was taken`);
  }

  /** Whether the money of an uncharged collection was booked from a forged event, and waits in suspense for a decision. */
  function isForgedInReview(file: Database, row: CollectionRow, sessions: readonly OracleSession[]): boolean {
    return (
      row.status === 'review' &&
      sessions.some(({ id }) => oracle.hasForgedPaid(id)) &&
      postingsOf(file, row) === suspended(row.amount_minor)
    );
  }

  /** Whether a decision has ended the collection, of people or of the service. */
  function isDecided({ reason }: CollectionRow): boolean {
    return (
      reason !== null && /^(decided|service)_(accept|accepted|returned|rejected|paid|not_paid)$/.test(reason)
    );
  }

  /** Returns the money that a person has decided about. An unknown amount can be of any size. */
  function decidedMinor(file: Database, id: string): number {
    const [row] = all<{ amount: number | null }>(
      file,
      `SELECT max(coalesce(amount_minor, 0), goods_minor) AS amount FROM collection WHERE id = ?
       UNION ALL SELECT amount_minor FROM unplaced_payment WHERE id = ?`,
      id,
      id,
    );
    return row?.amount || Number.POSITIVE_INFINITY;
  }

  /** Each decision of people is on the facts that they saw, and by two of them, or about a small amount. */
  function checkDecisions(file: Database, after: number): void {
    const rows = all<{ id: string; version: number; data: string }>(
      file,
      `SELECT subject_id AS id, version, data FROM fact
       WHERE kind IN ('decided', 'matched', 'placed', 'returned', 'declared_foreign') AND seq > ?`,
      after,
    );
    for (const { id, version, data } of rows) {
      const { versionSeen, by, approvedBy } = JSON.parse(data) as Record<string, unknown>;
      // The service decides, or a collection learns its session, without people.
      if (by === undefined) continue;
      if (versionSeen !== version - 1)
        violate('decision', `${id} was decided on version ${versionSeen}, but had version ${version - 1}`);
      const decision = `${id} ${version}`;
      if (by === approvedBy && !decided.has(decision) && decidedMinor(file, id) > secondPersonAboveMinor)
        violate('decision', `${by} decided ${id} alone`);
      decided.add(decision);
    }
  }

  /** R4: a prompted collection ends unpaid only by a final status that a poll returned, an unprompted one for a true reason. */
  function checkEnd(row: CollectionRow, sessions: readonly OracleSession[]): void {
    if (row.status === 'abandoned' && !hasTrueReason(row, sessions))
      violate('R4', `${row.id} is abandoned (${row.reason}) without a true reason`);
    if ((row.status !== 'failed' && row.status !== 'expired') || isDecided(row)) return;
    if (!sessions.some(({ id }) => oracle.hasPolledEnd(id, row.status)))
      violate('R4', `${row.id} is ${row.status}, but no poll returned that status`);
  }

  /**
   * Returns what people decided about second charges, which the service does not know: returned by hand, booked as money of
   * another collection, or declared foreign. They may decide before the service does, which then accepts the first charge.
   */
  function decidedByHandMinor(
    file: Database,
    { id: collectionId, merchant_id }: CollectionRow,
    sessions: readonly OracleSession[],
  ): number {
    return sessions
      .flatMap(({ id }) =>
        all<{ amount: number }>(
          file,
          `SELECT amount_minor AS amount FROM unplaced_payment AS one
           WHERE session_id = ? AND merchant_id = ? AND charge > 1 AND collection_id IS NOT ?
             AND EXISTS (SELECT 1 FROM fact WHERE subject_id = one.id AND kind IN ('returned', 'placed', 'declared_foreign'))`,
          id,
          merchant_id,
          collectionId,
        ),
      )
      .reduce((sum, { amount }) => sum + amount, 0);
  }

  return {
    /** Checks a call that leaves: its row was written before, with the same bytes (I8). */
    onCall(file: Database, call: CallSeen): void {
      const key = call.headers['idempotency-key'] ?? '';
      if (call.kind === 'create') {
        const [row] = all<{ body: string }>(
          file,
          `SELECT create_body AS body FROM collection WHERE create_key = ?
           UNION ALL SELECT create_body FROM quote WHERE create_key = ?`,
          key,
          key,
        );
        if (row?.body !== call.body) violate('I8', `create leaves before its row is written (${key})`);
      } else if (call.kind === 'initiate') {
        const [, id = ''] = /sessions\/([^/]+)\//.exec(call.path) ?? [];
        const [row] = all<CollectionRow>(
          file,
          'SELECT * FROM collection WHERE session_id = ?',
          decodeURIComponent(id),
        );
        // An event may have closed it at this moment; the record of the send stays.
        if (row?.initiate_sent_at == null)
          violate('I8', `initiate of ${id} leaves before its row is written`);
        else {
          checkSends(row);
          const { id, network, initiate_sent_at: decidedAt } = row;
          const [session, ...otherSessions] = sessionsWith(file, row);
          timeliness.onInitiate({
            ...{ id, network, decidedAt, session, otherSessions, lastTurn: lastTurnOf(file, row) },
            isFirst: row.initiate_sends === 1,
          });
        }
      }
    },
    /** Checks the invariants that hold after every step. */
    step(file: Database): void {
      const [now] = all<{ fact: number; posting: number }>(
        file,
        'SELECT (SELECT coalesce(max(seq), 0) FROM fact) AS fact, (SELECT coalesce(max(seq), 0) FROM posting) AS posting',
      );
      if (!now || (now.fact === checked.fact && now.posting === checked.posting)) return;
      const since = Math.min(checked.fact, now.fact - 1) - lateRows;
      const changed = all<CollectionRow>(
        file,
        'SELECT * FROM collection WHERE id IN (SELECT subject_id FROM fact WHERE seq > ?)',
        since,
      );
      for (const row of changed) {
        timeliness.saw(row.id);
        checkPrompts(row);
        checkEnd(row, sessionsOf(row));
        checkConfirmed(row, sessionsOf(row));
      }
      checkDecisions(file, since);
      if (now.posting !== checked.posting) checkLedger(file);
      checkDuplicates(file);
      checked = now;
      steps += 1;
      if (steps % stepsBetweenCopies === 0) checkAppendOnly(file);
    },
    /** Checks that each screen which announced a prompt has its collection on disk. */
    announced(file: Database, screens: readonly Announced[]): void {
      for (const { channel, session } of screens) {
        const [opened] = all<{ id: string }>(
          file,
          'SELECT collection_id AS id FROM turn WHERE channel = ? AND session = ? AND collection_id IS NOT NULL',
          channel,
          session,
        );
        if (!opened) violate('I1', `${session} on ${channel} announced a prompt without a collection`);
      }
    },
    /** Checks after a start that all written rows and acknowledged events are present (I4). */
    afterStart(file: Database): void {
      for (const row of collections(file)) checkPrompts(row);
      checkLedger(file);
      checkAppendOnly(file);
      const there = new Set(
        all<{ id: string }>(file, 'SELECT event_id AS id FROM inbox').map(({ id }) => id),
      );
      for (const id of oracle.acknowledged.keys())
        if (!there.has(id)) violate('I4', `${id} was acknowledged but is missing`);
    },
    /** Checks I5, I6, I10 and I13 when no work is left: both records of money agree. */
    quiet(file: Database, payers: readonly Payer[]): void {
      const known = new Set<string>();
      for (const row of collections(file)) {
        checkPrompts(row);
        const sessions = sessionsOf(row);
        for (const one of sessions) known.add(one.id);
        const takenMinor = sessions.reduce((sum, one) => sum + one.takenMinor, 0);
        const is = `${row.id} is ${row.status} (${row.reason ?? row.review ?? 'no reason'})`;
        if (['accepted', 'created', 'initiating', 'initiated'].includes(row.status))
          violate('liveness', `${is} and still open; the service has ${sessions.map((one) => stateOf(one))}`);
        const isMatched = row.unplaced_id !== null;
        // The refund of the last second charge ends the review about it.
        const refundedMinor = sessions.reduce((sum, one) => sum + one.refundedMinor, 0);
        const keptMinor = takenMinor - refundedMinor;
        const byHandMinor = decidedByHandMinor(file, row, sessions);
        // The service and people can return the same charge.
        const isKept = [keptMinor, keptMinor - byHandMinor].includes(row.amount_minor ?? 0);
        if (row.status === 'paid' && row.review === null && !isMatched && !isKept)
          violate(
            'I5',
            `${is}, but ${keptMinor} of ${row.amount_minor} pesewas were charged and not returned`,
          );
        // A second charge of another amount, which the service returned.
        const isOtherReturned = refundedMinor > 0 && keptMinor === row.amount_minor;
        const isOther = sessions.some((one) => one.isOtherCurrency);
        const isMismatch =
          (isOther || sessions.some((one) => one.isMismatch)) &&
          !isDecided(row) &&
          !isMatched &&
          !isOtherReturned;
        if (row.status === 'paid' && row.review === null && isMismatch)
          violate(
            'I5',
            `${is}, although an event reported other amounts, or another currency, than the quote`,
          );
        checkBooking(file, row, sessions);
        // With a wrong clock an event can be stale and book nothing; a person must decide.
        const isStale = mayFindStale && row.status === 'review';
        // The service has decided to return the money, and its decision has moved it out of suspense.
        const isReturned = row.reason === 'service_rejected' && row.booked === 'returned';
        if (takenMinor > 0 && row.status !== 'paid' && row.status !== 'review' && !isReturned)
          violate('I5', `${is}, but ${takenMinor} pesewas were charged`);
        // People have returned the money of the session, or placed it elsewhere, before the collection was known.
        const isGivenAway = row.review === 'unplaced_decided';
        if (takenMinor > 0 && row.booked === null && !isStale && !isGivenAway && !isOther)
          violate('I5', `${is}: ${takenMinor} pesewas are not booked`);
        const isUndone = isDecided(row) && postingsOf(file, row) === '[]';
        const isExplained = isUndone || isMatched || isForgedInReview(file, row, sessions);
        if (takenMinor === 0 && row.booked !== null && !isExplained)
          violate('I5', `${is}: money is booked without a charge`);
        checkConfirmed(row, sessions);
        if (row.status === 'paid' && row.confirmed_at === null) violate('I5', `${is} and never confirmed`);
      }
      for (const session of oracle.sessions.values()) {
        if (!known.has(session.id) && session.initiates > 0)
          violate('I1', `${session.id} was initiated without a collection`);
      }
      for (const { id } of all<{ id: string }>(file, "SELECT event_id AS id FROM inbox WHERE state = 'dead'"))
        violate('liveness', `${id} was dead-lettered`);
      const agreed = payers.reduce((sum, one) => sum + one.confirmations.length, 0);
      const pushes = [...oracle.sessions.values()].reduce((sum, one) => sum + one.prompts.length, 0);
      if (pushes > agreed) violate('I1', `${pushes} prompts for ${agreed} confirmations`);
      const opened = collections(file).length;
      if (opened > agreed) violate('I1', `${opened} collections for ${agreed} confirmations`);
      for (const fault of balanceFaults(file)) violate('I3', fault);
      for (const fault of moneyFaults(file, oracle)) violate('I5', fault);
      if (agreed >= minConfirmations && opened === 0)
        violate('liveness', `${agreed} confirmations opened no collection`);
      checkLedger(file);
      checkAppendOnly(file);
    },
  };
}
