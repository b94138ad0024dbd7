import type { Store } from '../../sqlite/store.ts';
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
import { findBlock, findParties, readBlocks, readDialler, readRefusedDiallers } from './abuse/abuse-query.ts';
import { readMentions } from './access/mention-query.ts';
import { readAuditPart } from './audit/audit-part.ts';
import { readBookingsPage, readBookingsPart } from './days/bookings-query.ts';
import { countUnclosedDays, readDays, readDayTotals } from './days/days-query.ts';
import { readDesk } from './desk/desk-query.ts';
import { findDeadEvent } from './desk/event-query.ts';
import { readUnplaced, readUnplacedTaker } from './desk/unplaced-query.ts';
import { readNeeds } from './home/needs-query.ts';
import { measureExport, readExportPart } from './list/export-query.ts';
import { readPaymentContext } from './payment/context-query.ts';
import { readPaymentVersion } from './payment/version-query.ts';

/** Everything that large pages read, by name. Each read returns only what is in the scope. Inputs and results are plain data. */
const consoleReads = {
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
};

type Reads = typeof consoleReads;

export type ReadName = keyof Reads;

/** The input of a read, without the store. */
type InputOf<Name extends ReadName> = Parameters<Reads[Name]> extends [Store, ...infer Input] ? Input : never;

/** The reads of the console. It has no write. */
export type ConsoleReader = {
  [Name in ReadName]: (...input: InputOf<Name>) => ReturnType<Reads[Name]>;
};

/** Reads in this process. */
export function createReader(store: Store): ConsoleReader {
  return readerOf((name, input) => runRead(store, name, input));
}

/** Creates a reader from the function that runs a read. */
export function readerOf(
  read: (name: ReadName, input: readonly unknown[]) => Promise<unknown>,
): ConsoleReader {
  const names = Object.keys(consoleReads) as ReadName[];
  const reads = names.map((name) => [name, (...input: unknown[]) => read(name, input)]);
  return Object.fromEntries(reads) as ConsoleReader;
}

/** Runs a read by its name. @param input that of the read, in its order. */
export function runRead(store: Store, name: ReadName, input: readonly unknown[]): Promise<unknown> {
  const read = consoleReads[name] as (store: Store, ...input: unknown[]) => Promise<unknown>;
  return read(store, ...input);
}
