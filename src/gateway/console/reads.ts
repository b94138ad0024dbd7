import { maskNumbers } from '../../shared/msisdn.ts';
import type { Store } from '../../sqlite/store.ts';
import { readInsights } from '../insights/insights-query.ts';
import type { Reader, Reads, ReadTable } from '../reading/reads.ts';
import { readDeliveries } from '../staff/delivery-query.ts';
import { type ActionFilter, type ActionRow, readActionPart, readAssignees } from '../support/action-query.ts';
import { callerReads } from '../support/caller-query.ts';
import { plainCell, textCell } from '../support/export/csv.ts';
import type { PageRequest, UnknownCursor } from '../support/page.ts';
import { listUnopenedSessions, loadSession } from '../support/session-query.ts';
import { describeDetail } from '../support/timeline.ts';
import { searchUnplaced, type UnplacedRequest } from '../support/unplaced-payment-query.ts';
import { abuseReads } from './abuse-query.ts';
import { bookingsReads, daysReads } from './days-query.ts';
import { deskReads } from './desk-query.ts';
import { homeReads, menuCountsReads } from './home-query.ts';
import { type ExportPart, type FileColumn, fileLine, filePart } from './parts/export-stream.ts';
import { paymentReads } from './payment-query.ts';
import { paymentsReads } from './payments-query.ts';

/** Reads a page of unplaced money, and who has taken it. */
async function readUnplaced(store: Store, request: UnplacedRequest) {
  const found = await searchUnplaced(store, request);
  if (found === 'unknown_cursor') return found;
  return {
    ...found,
    takenBy: await readAssignees(
      store,
      found.data.map(({ id }) => id),
    ),
  };
}

/** Reads who has taken one piece of unplaced money; null for no one. */
async function readUnplacedTaker(store: Store, id: string): Promise<string | null> {
  return (await readAssignees(store, [id]))[id] ?? null;
}

/** Lists money that no payment explains, or searches it. */
const unplacedReads = { unplaced: readUnplaced, unplacedTaker: readUnplacedTaker };

/** A digest in hexadecimal digits, which can contain the digits of a number. It has a letter. */
const digest = /(\b(?=\d*[a-f])(?:[\da-f]{64}|[\da-f]{40})\b)/;

/** Returns the details of an action in words, with masked numbers. Digests stay as they are: people compare them. */
export function getDetail({ detail }: Pick<ActionRow, 'detail'>): string {
  const parts = describeDetail(JSON.parse(detail)).split(digest);
  return parts.map((part, at) => (at % 2 === 1 ? part : maskNumbers(part))).join('');
}

/** The columns of the file of what people did. Numbers in it are masked, as on the page. */
export const auditColumns: readonly FileColumn<ActionRow>[] = [
  ['time', ({ at }) => plainCell(new Date(at).toISOString())],
  ['person', ({ actor }) => textCell(actor)],
  ['action', ({ action }) => plainCell(action)],
  ['result', ({ result }) => plainCell(result)],
  ['about', ({ subjectKind }) => plainCell(subjectKind)],
  ['id', ({ subjectId }) => textCell(maskNumbers(subjectId))],
  ['merchant', ({ merchantId }) => textCell(merchantId ?? '')],
  ['details', (row) => textCell(getDetail(row))],
];

/** Reads a part of the file of what people did, newest first. */
async function readAuditPart(
  store: Store,
  filter: ActionFilter,
  page: PageRequest,
): Promise<ExportPart | UnknownCursor> {
  const part = await readActionPart(store, filter, page);
  return part === 'unknown_cursor' ? part : filePart(part, (row) => fileLine(auditColumns, row, 'masked'));
}

const auditReads = { actions: readActionPart, auditPart: readAuditPart };

/** Everything that pages read, by name and in the scope. The thread of reads runs no `.tsx`: no file of a read imports a page. */
export const consoleReads = {
  ...abuseReads,
  ...auditReads,
  ...bookingsReads,
  ...callerReads,
  ...daysReads,
  ...deskReads,
  ...homeReads,
  ...menuCountsReads,
  ...paymentReads,
  ...paymentsReads,
  ...unplacedReads,
  /** Returns the figures of some days. */
  insights: readInsights,
  /** Lists what was sent to endpoints. */
  deliveries: readDeliveries,
  sessions: listUnopenedSessions,
  session: loadSession,
} satisfies ReadTable;

/** Reads of pages. */
export type ConsoleReader = Reader<typeof consoleReads>;

/** The reads of the person who asks. */
export type ConsoleReads = Reads<typeof consoleReads>;
