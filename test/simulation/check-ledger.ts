import type { Database } from '../../src/sqlite/driver.ts';

export type Posting = {
  seq: number;
  subject_id: string;
  booking: string;
  account: string;
  amount_minor: number;
};
type Fact = { seq: number; subject_id: string; version: number; kind: string; data: string; at: number };

type LedgerCheckDeps = {
  /** Returns all rows of a query. */
  all<T>(file: Database, sql: string, ...args: unknown[]): T[];
  violate(rule: string, what: string): void;
};

/** Creates the checks of facts and postings: they balance, only grow, and contain no duplicate payment. */
export function createLedgerChecks({ all, violate }: LedgerCheckDeps) {
  /** Rows that were read earlier. They must not change. */
  let facts: string[] = [];
  let postings: string[] = [];

  /** I2, I3, I12: the ledger balances, each collection is closed once, and times do not decrease. */
  function checkLedger(file: Database): void {
    const [sum] = all<{ sum: number | null }>(file, 'SELECT sum(amount_minor) AS sum FROM posting');
    if ((sum?.sum ?? 0) !== 0) violate('I3', `the ledger sums to ${sum?.sum}`);
    const uneven = all<{ id: string }>(
      file,
      'SELECT subject_id AS id FROM posting GROUP BY subject_id, booking HAVING sum(amount_minor) <> 0',
    );
    for (const { id } of uneven) violate('I3', `the postings of ${id} do not balance`);
    const twice = all<{ id: string }>(
      file,
      `SELECT subject_id AS id FROM posting WHERE booking IN ('paid', 'suspense') AND account = 'payers'
       GROUP BY subject_id HAVING count(*) > 1`,
    );
    for (const { id } of twice) violate('I2', `${id} was closed twice`);
    const back = all<{ id: string }>(
      file,
      `SELECT a.subject_id AS id FROM fact a JOIN fact b ON b.subject_id = a.subject_id AND b.version = a.version + 1
       WHERE b.at < a.at`,
    );
    for (const { id } of back) violate('I12', `the times of ${id} decrease`);
  }

  /** I1: a payer has one open collection of each kind per merchant (own, an attendant's, another phone's); an unpaid collection is repeated at most once. */
  function checkDuplicates(file: Database): void {
    const open = all<{ id: string }>(
      file,
      `SELECT max(id) AS id FROM collection
       WHERE status IN ('accepted', 'created', 'initiating', 'initiated') AND lapsed_at IS NULL
       GROUP BY merchant_id, payer, requested_by HAVING count(*) > 1`,
    );
    for (const { id } of open) violate('I1', `${id} was opened while its payer had an open collection`);
    const repeated = all<{ id: string }>(
      file,
      'SELECT retry_of AS id FROM collection WHERE retry_of IS NOT NULL GROUP BY retry_of HAVING count(*) > 1',
    );
    for (const { id } of repeated) violate('I1', `${id} was repeated more than once`);
  }

  /** I3: facts and postings are append-only. */
  function checkAppendOnly(file: Database): void {
    facts = compareRows('fact', facts, all<Fact>(file, 'SELECT * FROM fact ORDER BY seq'));
    postings = compareRows('posting', postings, all<Posting>(file, 'SELECT * FROM posting ORDER BY seq'));
  }

  function compareRows(table: string, before: readonly string[], rows: readonly object[]): string[] {
    const now = rows.map((row) => JSON.stringify(row));
    // Of several gateways, one can commit a lower number later.
    const present = new Set(now);
    const changed = before.find((row) => !present.has(row));
    if (changed !== undefined) violate('I3', `a row of ${table} was changed or lost: ${changed}`);
    return now;
  }

  return { checkLedger, checkAppendOnly, checkDuplicates };
}
