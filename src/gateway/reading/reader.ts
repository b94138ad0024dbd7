import type { Store } from '../../sqlite/store.ts';
import {
  findBlock,
  findParties,
  readBlocks,
  readDialler,
  readRefusedDiallers,
} from '../console/abuse/abuse-query.ts';
import { readMentions } from '../console/access/mention-query.ts';
import { readAuditPart } from '../console/audit/audit-part.ts';
import { readBookingsPage, readBookingsPart } from '../console/days/bookings-query.ts';
import { countUnclosedDays, readDays, readDayTotals } from '../console/days/days-query.ts';
import { readDesk } from '../console/desk/desk-query.ts';
import { findDeadEvent } from '../console/desk/event-query.ts';
import { readUnplaced, readUnplacedTaker } from '../console/desk/unplaced-query.ts';
import { readNeeds } from '../console/home/needs-query.ts';
import { measureExport, readExportPart } from '../console/list/export-query.ts';
import { readPaymentContext } from '../console/payment/context-query.ts';
import { readPaymentVersion } from '../console/payment/version-query.ts';
import { readMerchantRoute } from '../merchant-api/read-route.ts';
import { readDeliveries } from '../staff/delivery-query.ts';
import { readActionPart } from '../support/action-query.ts';
import type { CollectionFilter } from '../support/collection-filter.ts';
import { type CollectionRecord, loadCollectionRecord } from '../support/collection-query.ts';
import { findCollectionPage, findNamed } from '../support/find-query.ts';
import { listCollections, listInScope } from '../support/list-query.ts';
import type { PageRequest } from '../support/page.ts';
import type { Scope } from '../support/scope.ts';
import { loadSession } from '../support/sessions/session-query.ts';
import { listUnopenedSessions } from '../support/sessions/unopened-query.ts';
import type { ReadOwner } from './fair-queue.ts';

/**
 * Everything that large pages and merchants' systems read, by name. Each read returns only what is in the scope. Inputs and results are
 * plain data.
 */
const namedReads = {
  list(store: Store, scope: Scope, filter: CollectionFilter, page: PageRequest) {
    return scope.merchantId === null
      ? listCollections(store, filter, page)
      : listInScope(store, scope, filter, page);
  },
  /** Searches for words, parts of references, amounts and last digits. */
  search(store: Store, scope: Scope, term: string, page: PageRequest) {
    return findCollectionPage(store, term, page, scope);
  },
  /** Finds the collections that a number, an id or a whole reference identifies. */
  named(store: Store, scope: Scope, name: string, page: PageRequest) {
    return findNamed(store, name, page, scope);
  },
  /** Returns a payment; for a merchant without what support staff wrote about it. */
  async payment(store: Store, scope: Scope, id: string): Promise<CollectionRecord | undefined> {
    const record = await loadCollectionRecord(store, id, scope);
    return record && scope.merchantId !== null ? { ...record, actions: [] } : record;
  },
  paymentContext: readPaymentContext,
  paymentVersion: readPaymentVersion,
  mentions: readMentions,
  needs: readNeeds,
  desk: readDesk,
  deadEvent: findDeadEvent,
  sessions: listUnopenedSessions,
  session: loadSession,
  days: readDays,
  day: readDayTotals,
  unclosedDays: countUnclosedDays,
  /** Lists what was booked in a day. */
  bookings: readBookingsPage,
  bookingsPart: readBookingsPart,
  refusedDiallers: readRefusedDiallers,
  dialler: readDialler,
  parties: findParties,
  blocks: readBlocks,
  block: findBlock,
  /** Lists money that no payment explains, or searches it. */
  unplaced: readUnplaced,
  unplacedTaker: readUnplacedTaker,
  /** Lists what was sent to endpoints. */
  deliveries: readDeliveries,
  measureExport,
  exportPart: readExportPart,
  /** Lists what people did. */
  actions: readActionPart,
  auditPart: readAuditPart,
  /** Answers one GET of a merchant's system. */
  merchantApi: readMerchantRoute,
};

type NamedReads = typeof namedReads;

export type ReadName = keyof NamedReads;

/** The input of a read, without the store. */
type InputOf<Name extends ReadName> =
  Parameters<NamedReads[Name]> extends [Store, ...infer Input] ? Input : never;

/** The reads of one person or key. There is no write. */
export type Reads = {
  [Name in ReadName]: (...input: InputOf<Name>) => ReturnType<NamedReads[Name]>;
};

/** Reads for people and merchants' systems. */
export type Reader = {
  /** Returns the reads that run in the turns of a person or a key. */
  by(owner: ReadOwner): Reads;
  /** Gives up all reads. */
  close(): Promise<void>;
};

/** Runs a read by its name. @param input that of the read, in its order. */
type RunRead = (name: ReadName, input: readonly unknown[]) => Promise<unknown>;

/** Returns reads of a store in this process. */
export function createReads(store: Store): Reads {
  return readsOf((name, input) => runRead(store, name, input));
}

/** Creates a reader that reads in this process, at once. */
export function createReader(store: Store): Reader {
  const reads = createReads(store);
  return { by: () => reads, close: async () => {} };
}

/** Creates reads from the function that runs one. */
export function readsOf(run: RunRead): Reads {
  const names = Object.keys(namedReads) as ReadName[];
  const reads = names.map((name) => [name, (...input: unknown[]) => run(name, input)]);
  return Object.fromEntries(reads) as Reads;
}

/** Runs a read of a store by its name. @param input that of the read, in its order. */
export function runRead(store: Store, name: ReadName, input: readonly unknown[]): Promise<unknown> {
  const read = namedReads[name] as (store: Store, ...input: unknown[]) => Promise<unknown>;
  return read(store, ...input);
}
