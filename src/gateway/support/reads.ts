import type { Insights } from '../../contract/merchant/insights.ts';
import type { UnplacedView } from '../../contract/staff/unplaced.ts';
import type { EpochMs } from '../../shared/clock.ts';
import type { Msisdn } from '../../shared/msisdn.ts';
import type { Store } from '../../sqlite/store.ts';
import type { DayRange } from '../insights/insight-days.ts';
import type { InsightsRequest } from '../insights/insights-query.ts';
import type { TimeSpan } from '../ledger/day.ts';
import type { ReadTable } from '../reading/reads.ts';
import type { DecisionPreview } from '../staff/operations/reviews.ts';
import { findUnplaced, listUnplaced, type UnplacedFilter } from '../unplaced/list-query.ts';
import type { UnplacedPayment } from '../unplaced/unplaced.ts';
import { type ActionFilter, findAssignee, listStaffActions, readAssignees } from './action-query.ts';
import type { CallerRole } from './caller-query.ts';
import { type CollectionRecord, findCollectionRow, loadCollectionRecord } from './collection-query.ts';
import { type Explanation, explain } from './explain.ts';
import { readSearchBox } from './filter-text.ts';
import { findCollectionPage, findNamed } from './find-query.ts';
import { type ConfiguredValues, resolveFilter } from './known-values-query.ts';
import { listCollections, listCollectionsInReview } from './list-query.ts';
import { allMerchants, type CollectionPage, type PageRequest, type Scope } from './page.ts';
import { findNewest } from './page-query.ts';
import type { CollectionFilter } from './selection-query.ts';
import { type TimelineEntry, timeline } from './timeline.ts';

/** When something is read, and how a search finds numbers. Without `now`, the time of the latest fact is used. */
export type SearchOptions = Pick<Scope, 'lastFour'> &
  ConfiguredValues & {
    now?: EpochMs | undefined;
    /** The time zones of merchants that are not in Ghana's. */
    timeZones?: Readonly<Record<string, string>>;
  };

/** Why nothing was read: a filter has a value that no payment can have. */
export type RefusedRead = { refused: string };

/** Everything about one collection: its explanation, its record, its assignee and its timeline. */
export type CollectionView = Explanation &
  CollectionRecord & { assignedTo: string | null; timeline: TimelineEntry[] };

type CallerInput = PageRequest & { of: { msisdn: Msisdn } | { id: string }; role?: CallerRole | undefined };

/** The collections and unplaced payments that a search by name returns when it finds several. */
const maxNamed = 10;
const maxNamedUnplaced = 5;
const maxFound = 10;
/** The newest facts of an unplaced payment. */
const maxFacts = 100;

/**
 * The reads of support staff on the command line, by name: from the database, or through the API of a gateway. Modules that few reads use
 * are loaded when they are needed, so that a search of the command line starts at once.
 */
export const supportReads = {
  /**
   * Finds the collections and the newest unplaced payments that match a search term. Operators such as `status:paid` list collections, as
   * in the console.
   */
  async find(
    store: Store,
    { lastFour = false, now, ...configured }: SearchOptions,
    { term, ...page }: PageRequest & { term: string },
  ) {
    const isRelative = now === undefined && /\bwhen:/.test(term);
    const box = readSearchBox(term, { now: isRelative ? await readLatest(store) : (now ?? 0) });
    if (box.kind === 'invalid') return { refused: box.message };
    if (box.kind === 'filters') {
      const listed = await listResolved(store, configured, box.filter, page);
      if (listed === 'unknown_cursor' || 'refused' in listed) return listed;
      return { ...listed, unplaced: { data: [], total: 0 } };
    }
    const found = await findCollectionPage(store, term, page, { merchantId: null, lastFour });
    if (found === 'unknown_cursor') return found;
    const unplaced = await findUnplaced(store, term, { limit: maxFound });
    const { data, total } = unplaced === 'unknown_cursor' ? { data: [], total: 0 } : unplaced;
    return { ...found, unplaced: { data: await viewUnplacedPayments(store, data, now), total } };
  },
  collections: (
    store: Store,
    configured: SearchOptions,
    { filter, ...page }: PageRequest & { filter: CollectionFilter },
  ) => listResolved(store, configured, filter, page),
  /** Lists the collections in review. */
  inReview: (store: Store, _: SearchOptions, page: PageRequest) => listCollectionsInReview(store, page),
  /** Returns the only collection that a name identifies, or else the newest ones that it identifies. */
  async collection(
    store: Store,
    { now }: SearchOptions,
    { name }: { name: string },
  ): Promise<{ view: CollectionView } | CollectionPage> {
    const record = await loadCollectionRecord(store, name);
    if (record) return { view: viewCollection(record, now) };
    const found = await findNamed(store, name, { limit: maxNamed });
    const page = found === 'unknown_cursor' ? { data: [], total: 0, next: null, sumMinor: 0 } : found;
    const [only] = page.total === 1 ? page.data : [];
    const named = only && (await loadCollectionRecord(store, only.id));
    return named ? { view: viewCollection(named, now) } : page;
  },
  /** Returns the time zones of merchants that are not in Ghana's, by merchant. */
  timeZones: async (_: Store, { timeZones = {} }: SearchOptions, _none: object) => timeZones,
  actions: (
    store: Store,
    configured: SearchOptions,
    { filter, ...page }: PageRequest & { filter: ActionFilter },
  ) =>
    readCompleted(store, configured, filter, {
      read: (one) => listStaffActions(store, one, page),
      isEmpty: (found) => found !== 'unknown_cursor' && found.total === 0,
    }),
  /** Sums the accounts, of all time or of one day, and what is unconfirmed and unplaced now. */
  async balances(store: Store, _: SearchOptions, { day }: { day?: TimeSpan | undefined }) {
    const [{ ledgerStore }, { sumUnconfirmed }, { sumAllUnplaced }] = await Promise.all([
      import('../ledger/ledger-store.ts'),
      import('../collection/store/sums-query.ts'),
      import('../unplaced/list-query.ts'),
    ]);
    return {
      balances: await ledgerStore(store).balances(day),
      unconfirmed: await sumUnconfirmed(store),
      unplaced: await sumAllUnplaced(store),
    };
  },
  /** Returns the figures of some days, of one merchant or of all; a message when there are no such days. */
  async insights(
    store: Store,
    { now, ...configured }: SearchOptions,
    { from, to, ...scope }: DayRange & Omit<InsightsRequest, 'livemode' | 'now' | 'from' | 'to'>,
  ): Promise<Insights | { message: string }> {
    const [{ readInsightDays }, { readInsights, readNewest }] = await Promise.all([
      import('../insights/insight-days.ts'),
      import('../insights/insights-query.ts'),
    ]);
    const newest = await readNewest(store);
    const days = readInsightDays({ from, to }, now ?? newest.at);
    if ('message' in days) return days;
    const { livemode } = newest;
    const found = await readCompleted(store, configured, scope, {
      read: (one) => readInsights(store, { ...one, ...days, livemode, now: now ?? newest.at }),
      isEmpty: ({ payments, dialogues }) => payments.opened + dialogues.begun === 0,
    });
    return 'refused' in found ? { message: found.refused } : found;
  },
  /** Lists the reviews with their open proposals. */
  async reviews(store: Store, { now }: SearchOptions, page: PageRequest) {
    const { readReviewPage } = await import('../staff/operations/reviews.ts');
    return readReviewPage(await createReadDeps(store, now), page);
  },
  /** Returns a review with the postings of its possible decisions, and the status of its collection. */
  async review(store: Store, { now }: SearchOptions, { id }: { id: string }) {
    const row = await findCollectionRow(store, id);
    const { readReview } = await import('../staff/operations/reviews.ts');
    if (!row) return undefined;
    const { merchantId, livemode, sessionId, status } = row;
    const deps = await createReadDeps(store, now);
    const { decisionMade } = await import('../collection/decide/review.ts');
    const charges =
      sessionId === null ? [] : await deps.unplaced.listBySession({ merchantId, livemode, sessionId });
    const reconciliation: DecisionPreview['reconciliation'] = {
      preview: async (collection, evidence) => decisionMade(collection, evidence, { charges }),
    };
    return { status, view: await readReview({ ...deps, reconciliation }, row) };
  },
  /** Lists unplaced payments, each with its best suggestion. */
  async unplaced(
    store: Store,
    { now, ...configured }: SearchOptions,
    { filter, ...page }: PageRequest & { filter: Pick<UnplacedFilter, 'state' | 'merchantId'> },
  ) {
    const found = await readCompleted(store, configured, filter, {
      read: (one) => listUnplaced(store, one, page),
      isEmpty: (one) => one !== 'unknown_cursor' && one.total === 0,
    });
    if (found === 'unknown_cursor' || 'refused' in found) return found;
    return { ...found, data: await viewUnplacedPayments(store, found.data, now) };
  },
  /** Returns the only unplaced payment that a name identifies with its history, or else those that it identifies. */
  async unplacedPayment(store: Store, { now }: SearchOptions, { name }: { name: string }) {
    const found = await findUnplaced(store, name, { limit: maxNamedUnplaced });
    const { data, total } = found === 'unknown_cursor' ? { data: [], total: 0 } : found;
    const [payment, other] = data;
    if (!payment || other) return { data, total };
    const [{ maxSuggestions, readUnplacedView }, { unplacedHistory }, { ledgerStore }] = await Promise.all([
      import('../staff/operations/read-unplaced.ts'),
      import('./unplaced-payment-query.ts'),
      import('../ledger/ledger-store.ts'),
    ]);
    const facts = await ledgerStore(store).factsOf(payment.id);
    const view = {
      ...(await readUnplacedView(await createReadDeps(store, now), payment, maxSuggestions)),
      assignedTo: (await readAssignees(store, [payment.id]))[payment.id] ?? null,
      history: unplacedHistory(facts.slice(-maxFacts)),
    };
    return { view };
  },
  async unplacedEvents(store: Store, _: SearchOptions, page: PageRequest) {
    const { listUnplacedEvents } = await import('./unplaced-payment-query.ts');
    return listUnplacedEvents(store, page);
  },
  async sessions(store: Store, _: SearchOptions, { dialler, ...page }: PageRequest & { dialler: Msisdn }) {
    return (await loadSessionQuery()).findDialogues(store, dialler, page);
  },
  async session(store: Store, _: SearchOptions, { id }: { id: string }) {
    return (await loadSessionQuery()).loadSession(store, id);
  },
  /** Returns the turns after a number; without one, the last ones. `isWhole` when there are no more. */
  async turns(store: Store, _: SearchOptions, { after, last }: { after?: number | undefined; last: number }) {
    const { lastTurnNumber, turnsAfter } = await loadSessionQuery();
    const start = after ?? Math.max(0, (await lastTurnNumber(store)) - last);
    const turns = await turnsAfter(store, start, maxTurns);
    return { turns, next: turns.at(-1)?.seq ?? start, isWhole: turns.length < maxTurns };
  },
  /**
   * Returns everything about one phone: the one with the number, the payer of the payment with the id, or the one that dialled the dialogue
   * with the id; undefined for an unknown id.
   */
  async caller(store: Store, { now = 0 }: SearchOptions, { of, ...page }: CallerInput) {
    const { findCallerOf, readCaller } = await import('./caller-query.ts');
    const id = 'id' in of ? of.id : undefined;
    const payer = id === undefined ? undefined : (await findCollectionRow(store, id))?.payer;
    const msisdn = 'msisdn' in of ? of.msisdn : (payer ?? (await findCallerOf(store, of.id)));
    if (msisdn === undefined) return undefined;
    const caller = await readCaller(store, allMerchants, msisdn as Msisdn, { ...page, now });
    return caller === 'unknown_cursor' ? caller : { msisdn, ...caller };
  },
  /** Lists the blocks that hold. The cursor of a block is the number of its action. */
  async blocks(
    store: Store,
    { now = 0 }: SearchOptions,
    { msisdn, limit, after }: { msisdn?: Msisdn | undefined; limit: number; after?: number | undefined },
  ) {
    const { blockQuery } = await import('../staff/block-query.ts');
    const blocks = blockQuery(store);
    const msisdns = msisdn && [msisdn];
    const found = await blocks.list({ msisdns, limit: limit + 1, before: after, now });
    const data = found.slice(0, limit);
    const last = found.length > limit ? data.at(-1) : undefined;
    return {
      data,
      total: await blocks.count({ msisdns, now }),
      next: last === undefined ? null : String(last.seq),
    };
  },
} satisfies ReadTable;

/** Lists collections, with the values of the filter completed. */
async function listResolved(
  store: Store,
  configured: ConfiguredValues,
  filter: CollectionFilter,
  page: PageRequest,
) {
  const resolved = await resolveFilter(store, filter, configured);
  return resolved.ok ? listCollections(store, resolved.filter, page) : { refused: resolved.message };
}

/**
 * Reads with a filter. When nothing is found, its merchant and channel are completed: another read follows, or the message about a value
 * that no payment has. A merchant without payments can have rows of other tables, so what is found stands.
 */
async function readCompleted<
  Filter extends { merchantId?: string | null | undefined; channel?: string | undefined },
  Found,
>(
  store: Store,
  configured: ConfiguredValues,
  filter: Filter,
  { read, isEmpty }: { read(filter: Filter): Promise<Found>; isEmpty(found: Found): boolean },
): Promise<Found | RefusedRead> {
  const found = await read(filter);
  const { merchantId, channel } = filter;
  if (!isEmpty(found)) return found;
  const resolved = await resolveFilter(store, { merchantId: merchantId ?? undefined, channel }, configured);
  if (!resolved.ok) return { refused: resolved.message };
  const { filter: whole } = resolved;
  if (whole.channel === channel && whole.merchantId === (merchantId ?? undefined)) return found;
  return read({ ...filter, merchantId: whole.merchantId ?? merchantId, channel: whole.channel });
}

/** Returns when the newest collection was opened: the time of a ledger that no gateway writes. */
async function readLatest(store: Store): Promise<EpochMs> {
  return (await findNewest(store, 1)).from;
}

/** Loads the menu's states, which no other read needs. */
const loadSessionQuery = () => import('./session-query.ts');

/** Turns that are read at once. */
const maxTurns = 200;

export type SupportReads = typeof supportReads;
export type SupportReadName = keyof SupportReads;
export type SupportInput<Name extends SupportReadName> = Parameters<SupportReads[Name]>[2];
export type SupportResult<Name extends SupportReadName> = Awaited<ReturnType<SupportReads[Name]>>;

function viewCollection(record: CollectionRecord, now = record.collection.updatedAt): CollectionView {
  const assignedTo = findAssignee(record.actions) ?? null;
  return { ...explain(record, now), assignedTo, ...record, timeline: timeline(record) };
}

async function viewUnplacedPayments(
  store: Store,
  payments: readonly UnplacedPayment[],
  now: EpochMs | undefined,
): Promise<UnplacedView[]> {
  if (payments.length === 0) return [];
  const { maxListed, readUnplacedView } = await import('../staff/operations/read-unplaced.ts');
  const deps = await createReadDeps(store, now);
  return Promise.all(payments.map((one) => readUnplacedView(deps, one, maxListed)));
}

/** Creates what the reads of operations use, on a store without a running gateway. */
async function createReadDeps(store: Store, now: EpochMs = 0) {
  const [{ proposalStore }, { unplacedStore }, { suggestMatches }] = await Promise.all([
    import('../staff/proposal-store.ts'),
    import('../unplaced/unplaced-store.ts'),
    import('../unplaced/suggestions-query.ts'),
  ]);
  return {
    collections: { find: (id: string) => findCollectionRow(store, id) },
    proposals: proposalStore(store),
    unplaced: unplacedStore(store),
    unplacedLists: {
      suggest: (payment: UnplacedPayment, limit: number) => suggestMatches(store, payment, limit),
    },
    clock: { now: () => now },
  };
}
