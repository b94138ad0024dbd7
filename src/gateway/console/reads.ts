import type { Store } from '../../sqlite/store.ts';
import type { Reader, Reads, ReadTable } from '../reading/reads.ts';
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

/**
 * Everything that pages read, by name. Each read returns only what is in the scope.
 */
export const consoleReads = {
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
} satisfies ReadTable;

/** Reads of pages. */
export type ConsoleReader = Reader<typeof consoleReads>;

/** The reads of the person who asks. */
export type ConsoleReads = Reads<typeof consoleReads>;
