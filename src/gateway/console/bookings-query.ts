import { maskedForm, maskNumbers } from '../../shared/msisdn.ts';
import type { Store } from '../../sqlite/store.ts';
import { maskStoredAnswers } from '../collection/answers.ts';
import type { TimeSpan } from '../ledger/day.ts';
import { type Balance, totalsStore } from '../ledger/totals-store.ts';
import { readBookings } from '../support/export/export-query.ts';
import { type ExportRow, exportLine } from '../support/export/lines.ts';
import type { PageRequest, UnknownCursor } from '../support/page.ts';
import { type ExportNumbers, type ExportPart, filePart, type PartRequest } from './parts/export-stream.ts';

/** The bookings of a span of time, of one merchant or of all. */
export type BookingsRequest = { span: TimeSpan; merchantId: string | undefined; livemode: 0 | 1 };

/** The accounts of one day. Those of a thousand merchants fit on a page; the command lists all. */
const maxAccounts = 200;

/** A part of the bookings, and what all of the day add up to in each account. */
export type FoundBookings = {
  data: ExportRow[];
  next: string | null;
  balances: Balance[];
  /** True when there are more accounts. */
  isCut: boolean;
};

/** Reads a page of bookings, oldest first, with the balances of the day: with a merchant, of its account. */
async function readBookingsPage(
  store: Store,
  asked: BookingsRequest,
  page: PageRequest,
): Promise<FoundBookings | UnknownCursor> {
  const part = await readBookings(store, getFilter(asked), page);
  if (part === 'unknown_cursor') return part;
  const { span, merchantId, livemode } = asked;
  const all = (await totalsStore(store).balances(span)).filter(
    (one) =>
      one.livemode === livemode && (merchantId === undefined || one.account === `merchant:${merchantId}`),
  );
  return { ...part, balances: all.slice(0, maxAccounts), isCut: all.length > maxAccounts };
}

/** Reads a part of the file of bookings. */
async function readBookingsPart(
  store: Store,
  asked: BookingsRequest,
  { numbers, ...page }: PartRequest,
): Promise<ExportPart | UnknownCursor> {
  const part = await readBookings(store, getFilter(asked), page);
  if (part === 'unknown_cursor') return part;
  return filePart(part, (row) => exportLine(withNumbers(row, numbers)));
}

function getFilter({ span: { from, to }, ...others }: BookingsRequest) {
  return { from, before: to, ...others };
}

/** Returns a line with its phone numbers as they are, or masked, also in texts that people and payers typed. */
function withNumbers(line: ExportRow, numbers: ExportNumbers): ExportRow {
  if (numbers === 'whole') return line;
  const { subject } = line;
  if (subject.kind === 'collection') {
    const { payer, dialler, reference } = subject.row;
    const masked = {
      payer: maskedForm(payer),
      dialler: maskedForm(dialler),
      reference: maskNumbers(reference),
      answers: maskStoredAnswers(subject.row),
    };
    return { ...line, subject: { kind: 'collection', row: Object.assign({}, subject.row, masked) } };
  }
  const { payer, reference } = subject.row;
  const masked = {
    payer: payer && maskNumbers(payer),
    reference: reference && maskNumbers(reference),
  };
  return { ...line, subject: { kind: 'unplaced', row: { ...subject.row, ...masked } } };
}

export const bookingsReads = { bookings: readBookingsPage, bookingsPart: readBookingsPart };
