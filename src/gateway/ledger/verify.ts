import type { EpochMs } from '../../shared/clock.ts';
import type { SettingKey } from './audit-query.ts';
import type { ChainedFact, ChainedPosting, Seal, SubjectEntries } from './chain.ts';
import { dayMs, minRetentionDays, showDay } from './day.ts';
import type { LedgerStore } from './ledger-store.ts';
import { collectFaults, type LedgerFault, type LedgerReport, type ReportFault } from './report.ts';
import {
  auditChain,
  type ChainAudit,
  type ChainExpectation,
  type OnRows,
  startOfAudit,
} from './verify-chain.ts';

export type VerifyOptions = ChainExpectation & {
  /** The current time, to tell retention from other deletions. */
  now?: EpochMs;
  /** Receives the number of rows that were read since the last call. Facts and postings are read twice. */
  onRows?: OnRows;
  /** Audits the chain at the same time as the rest; by default, it is audited first. */
  auditChainApart?: AuditChainApart | undefined;
  /** Finds the totals of payments and screens that differ from their facts and turns. */
  findWrongTotals?: (() => Promise<LedgerFault[]>) | undefined;
};

/** Audits the chain of the same ledger with reads of its own. `start` is the block before the first one to audit. */
export type AuditChainApart = (
  expectation: ChainExpectation,
  range: { start: Seal; onRows: OnRows },
) => Promise<ChainAudit>;

/** Returns the faults of a stored row, given its facts and its postings. */
export type RowAudit = (
  row: Record<string, unknown>,
  facts: readonly ChainedFact[],
  postings: readonly ChainedPosting[],
) => string[];

/** The audits of the rows that own facts and postings. */
export type LedgerAudits = { collection: RowAudit; unplaced: RowAudit };

const pageSize = 500;

const closingBookings = ['paid', 'suspense'];

/**
 * Audits the whole ledger: its schema; the hash chain and its signatures; the sum of every booking; the closing booking of
 * each collection (at most one, and exactly one when it is paid); each row and its postings against its facts; the
 * settings of diallers against their changes; the totals of accounts against the postings, those of payments and screens
 * against facts and turns; each unplaced payment against its facts; and decisions of people against their recorded actions. Reads in pages and writes nothing,
 * so it also runs on a live ledger. With `from`, it audits what follows a noted block, and neither totals nor decisions of
 * people, which need a read of everything.
 */
export async function verifyLedger(
  ledger: LedgerStore,
  audits: LedgerAudits,
  { now, onRows = () => {}, auditChainApart, findWrongTotals, ...expectation }: VerifyOptions = {},
): Promise<LedgerReport> {
  const { faults, report } = collectFaults();
  for (const difference of await ledger.schemaDifferences()) report('schema', difference);
  const start = await startOfAudit(ledger, expectation.from, report);
  const rest = collectFaults();
  const auditRest = async () => {
    const audit = { ledger, audits, report: rest.report, onRows };
    const counted = start.number === 0 ? await auditAll(audit) : await auditChanged(audit, start);
    await auditOtherRows(ledger, now, rest.report);
    if (start.number === 0) await auditSums(ledger, rest.report);
    return counted;
  };
  const range = { start, onRows };
  const [chained, counted] = auditChainApart
    ? await Promise.all([auditChainApart(expectation, range), auditRest()])
    : [await auditChain(ledger, expectation, range), await auditRest()];
  for (const { row, fault } of [...chained.faults, ...rest.faults]) report(row, fault);
  // Totals of rows with a fault differ for that reason.
  if (start.number === 0 && faults.length === 0)
    for (const { row, fault } of (await findWrongTotals?.()) ?? []) report(row, fault);
  return { ok: faults.length === 0, ...chained.chain, ...counted, faults };
}

type Audit = { ledger: LedgerStore; audits: LedgerAudits; report: ReportFault; onRows: OnRows };

type Counted = { collections: number; unplaced: number };

type CollectionRow = Awaited<ReturnType<LedgerStore['collections']>>[number];

function auditCollections(
  { audits, report, onRows }: Audit,
  rows: readonly CollectionRow[],
  entriesOf: SubjectEntries,
) {
  for (const row of rows) {
    const { facts, postings } = entriesOf(row.id);
    for (const fault of audits.collection(row, facts, postings)) report(`collection ${row.id}`, fault);
    for (const fault of postingFaults(row.status, postings)) report(`collection ${row.id}`, fault);
    onRows(1 + facts.length + postings.length);
  }
}

/** Audits every collection and every unplaced payment against its facts. */
async function auditAll(audit: Audit): Promise<Counted> {
  const { ledger, audits, report } = audit;
  let collections = 0;
  let after = '';
  for (;;) {
    const rows = await ledger.collections(after, pageSize);
    const last = rows.at(-1);
    if (!last) break;
    auditCollections(audit, rows, await ledger.entriesBetween(after, last.id));
    collections += rows.length;
    after = last.id;
  }
  const unplaced = await auditUnplacedPayments(ledger, audits.unplaced, report);
  for (const id of await ledger.orphans()) reportOrphan(id, report);
  return { collections, unplaced };
}

/** Audits the collections and the unplaced payments that have a fact or a posting after a block. */
async function auditChanged(audit: Audit, start: Seal): Promise<Counted> {
  const { ledger, audits, report } = audit;
  const counted = { collections: 0, unplaced: 0 };
  const changed = await ledger.changedSubjects(start);
  for (let first = 0; first < changed.length; first += pageSize) {
    const ids = changed.slice(first, first + pageSize);
    const { collections, unplacedPayments, entriesOf } = await ledger.subjects(ids);
    auditCollections(audit, collections, entriesOf);
    for (const row of unplacedPayments) {
      const { facts, postings } = entriesOf(row.id);
      for (const fault of audits.unplaced(row, facts, postings)) report(`unplaced payment ${row.id}`, fault);
    }
    const found = new Set([...collections, ...unplacedPayments].map(({ id }) => id));
    for (const id of ids) if (!found.has(id)) reportOrphan(id, report);
    counted.collections += collections.length;
    counted.unplaced += unplacedPayments.length;
  }
  return counted;
}

function reportOrphan(id: string, report: ReportFault): void {
  const name = id.startsWith('unp_') ? 'unplaced payment' : 'collection';
  report(`${name} ${id}`, 'has facts or postings, but its row is missing');
}

/** Audits each unplaced payment against its facts, and returns their number. */
async function auditUnplacedPayments(
  ledger: LedgerStore,
  audit: RowAudit,
  report: ReportFault,
): Promise<number> {
  let count = 0;
  for (let after = ''; ; ) {
    const rows = await ledger.unplacedPayments(after, pageSize);
    for (const row of rows) {
      count += 1;
      const faults = audit(row, await ledger.factsOf(row.id), await ledger.postingsOf(row.id));
      for (const fault of faults) report(`unplaced payment ${row.id}`, fault);
    }
    const last = rows.at(-1);
    if (!last) return count;
    after = last.id;
  }
}

/** Reports settings that differ from their recorded changes, and turns and rows that only tampering can have removed. */
async function auditOtherRows(ledger: LedgerStore, now: EpochMs | undefined, report: ReportFault) {
  for (const key of await ledger.changedSettings())
    report(nameSetting(key), 'its row differs from its last recorded change');
  for (const key of await ledger.missingSettings()) report(nameSetting(key), 'its row is missing');
  for (const id of await ledger.changedProposals())
    report(`proposal ${id}`, 'differs from the recorded actions of its people');
  const before = now === undefined ? Number.MAX_SAFE_INTEGER : now - minRetentionDays * dayMs;
  for (const seq of await ledger.youngDeletedTurns(before))
    report(`turn ${seq}`, 'was deleted before the shortest retention of dialogues was over');
  for (const id of await ledger.missingAnswers(before))
    report(`collection ${id}`, 'lacks its answers before the shortest retention of dialogues was over');
  for (const { table, missing } of await ledger.cutTables())
    report(`table ${table}`, `lacks ${missing} rows at its end`);
}

/** Reports wrong jobs, wrong totals and decisions without an approval, which needs a read of all postings and facts. */
async function auditSums(ledger: LedgerStore, report: ReportFault): Promise<void> {
  for (const id of await ledger.wrongJobs())
    report(`collection ${id}`, 'has work left and no job, or a job and no work left');
  for (const id of await ledger.undocumentedDecisions())
    report(`collection ${id}`, 'has a decision that no recorded approval of a person explains');
  for (const id of await ledger.undocumentedPlacements())
    report(`unplaced payment ${id}`, 'has a decision that no recorded approval, or no collection, explains');
  for (const { account, livemode, day } of await ledger.wrongTotals()) {
    const span = day === null ? '' : ` of ${showDay(day)}`;
    report(`total of ${account} (${livemode ? 'live' : 'test'})${span}`, 'differs from the sealed postings');
  }
}

/** Shows only the end of the number: the faults of a backup go to a log. */
function nameSetting([merchantId, msisdn]: SettingKey): string {
  return `setting of a number that ends in ${msisdn.slice(-3)} at ${merchantId}`;
}

/** Returns the faults of a collection's postings, given its status. Pure. */
export function postingFaults(status: string, postings: readonly ChainedPosting[]): string[] {
  const faults: string[] = [];
  const sums = new Map<string, number>();
  for (const { version, booking, amountMinor } of postings) {
    const key = `${version} ${booking}`;
    sums.set(key, (sums.get(key) ?? 0) + amountMinor);
  }
  for (const [key, sum] of sums) {
    if (sum !== 0) faults.push(`its ${key.split(' ')[1]} booking must sum to 0, found ${sum} pesewas`);
  }
  const found = new Set(postings.map(({ booking }) => booking));
  const closing = closingBookings.filter((booking) => found.has(booking));
  if (closing.length > 1) faults.push(`has two closing bookings: ${closing.join(' and ')}`);
  // The merchant's part may be zero: then the whole amount is the service's fee.
  const credits = postings.filter(({ account }) => account !== 'payers' && account !== 'suspense');
  const isMerchantCredited = credits.reduce((sum, { amountMinor }) => sum + amountMinor, 0) > 0;
  if (status === 'paid' && !isMerchantCredited) faults.push('is paid, but no booking credits the merchant');
  if (
    ['accepted', 'created', 'initiating', 'initiated', 'abandoned', 'expired'].includes(status) &&
    sums.size > 0
  ) {
    faults.push(`is ${status}, but has postings`);
  }
  if (status === 'failed' && isMerchantCredited)
    faults.push('is failed, but its booking to the merchant is not reversed');
  return faults;
}
