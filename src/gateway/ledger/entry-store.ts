import type { EpochMs } from '../../shared/clock.ts';
import { build, prepareWrite, rowParameters } from '../../sqlite/statement.ts';
import type { Write } from '../../sqlite/store.ts';
import { fact, posting } from '../database/schema.ts';
import type { ChainedFact, ChainedPosting } from './chain.ts';
import type { Booking } from './posting.ts';

const insertFact = prepareWrite<Omit<ChainedFact, 'seq'>>(
  build.insert(fact).values(rowParameters(fact, 'seq')),
  1,
);

const insertPosting = prepareWrite<Omit<ChainedPosting, 'seq'>>(
  build.insert(posting).values(rowParameters(posting, 'seq')),
  1,
);

/** The subject of facts and postings: a collection or an unplaced payment. */
type Subject = { id: string; merchantId: string; livemode: number };

/** Returns the write of one fact of a subject, with its version. */
export function factWrite(
  { id: subjectId, merchantId }: Omit<Subject, 'livemode'>,
  version: number,
  { kind, data }: { kind: string; data: unknown },
  at: EpochMs,
): Write {
  return insertFact({ subjectId, merchantId, version, kind, data: JSON.stringify(data), at });
}

/** Returns the writes of a subject's bookings. `version` is the one after the facts that require them. */
export function bookingWrites(
  { id: subjectId, merchantId, livemode, version }: Subject & { version: number },
  bookings: readonly Booking[],
  at: EpochMs,
): Write[] {
  return bookings.flatMap(({ kind: booking, postings }) =>
    postings.map((side) => insertPosting({ subjectId, merchantId, livemode, version, booking, ...side, at })),
  );
}
