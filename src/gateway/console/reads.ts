import type { Reader, Reads, ReadTable } from '../reading/reads.ts';
import { readDeliveries } from '../staff/delivery-query.ts';
import { listUnopenedSessions, loadSession } from '../support/session-query.ts';
import { abuseReads } from './abuse-query.ts';
import { auditReads } from './audit-query.ts';
import { bookingsReads } from './bookings-query.ts';
import { daysReads } from './days-query.ts';
import { deskReads } from './desk-query.ts';
import { homeReads } from './home-query.ts';
import { paymentReads } from './payment-query.ts';
import { paymentsReads } from './payments-query.ts';
import { unplacedReads } from './unplaced-query.ts';

/**
 * Everything that pages read, by name. Each read returns only what is in the scope. The thread of reads runs these: no file of a read
 * imports a page, because a thread of the source runs no `.tsx` file.
 */
export const consoleReads = {
  ...abuseReads,
  ...auditReads,
  ...bookingsReads,
  ...daysReads,
  ...deskReads,
  ...homeReads,
  ...paymentReads,
  ...paymentsReads,
  ...unplacedReads,
  /** Lists what was sent to endpoints. */
  deliveries: readDeliveries,
  sessions: listUnopenedSessions,
  session: loadSession,
} satisfies ReadTable;

/** Reads of pages. */
export type ConsoleReader = Reader<typeof consoleReads>;

/** The reads of the person who asks. */
export type ConsoleReads = Reads<typeof consoleReads>;
