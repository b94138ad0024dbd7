import type { EpochMs } from '../../../shared/clock.ts';
import type { CollectionRow } from '../../collection/collection.ts';
import type { UnplacedPayment } from '../../unplaced/unplaced.ts';
import type { PostingRow } from '../collection-query.ts';
import { type ReceivedAmounts, receivedAmounts } from '../explain/amounts.ts';

/** What the money of a line belongs to. */
export type ExportSubject =
  | { kind: 'collection'; row: CollectionRow }
  | { kind: 'unplaced'; row: UnplacedPayment };

/** One line of an export. */
export type ExportRow = {
  subject: ExportSubject;
  /** The sums of the postings of this line; null when no money was booked. */
  received: ReceivedAmounts | null;
  /** The bookings of this line, in order, with the time of the last one. */
  bookings: readonly string[];
  bookedAt: EpochMs | null;
};

/** Returns the line of a subject with these postings. */
export function exportRow(subject: ExportSubject, postings: readonly PostingRow[]): ExportRow {
  return {
    subject,
    received: receivedAmounts(postings),
    bookings: [...new Set(postings.map(({ booking }) => booking))],
    bookedAt: postings.at(-1)?.at ?? null,
  };
}
