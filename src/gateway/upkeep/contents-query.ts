import { sql } from 'drizzle-orm';
import type { EpochMs } from '../../shared/clock.ts';
import type { Store } from '../../sqlite/store.ts';
import { openStatuses } from '../database/schema.ts';

/** What a copy of the ledger contains. */
export type Contents = {
  collections: number;
  /** Collections that are not final. */
  open: number;
  /** Collections in review. */
  reviews: number;
  facts: number;
  postings: number;
  turns: number;
  events: number;
  /** When the newest collection was opened; null when there is none. */
  newestCollectionAt: EpochMs | null;
  /** Time of the newest turn, fact or event. */
  newestAt: EpochMs | null;
  /** Modes of the collections. */
  modes: ('live' | 'test')[];
};

const count = (table: string) => sql.raw(`(SELECT count(*) FROM ${table})`);

/** Counts the rows of a ledger. Reads only columns of the first migration, so that it runs on any schema version. */
export async function contentsQuery({ read }: Store): Promise<Contents> {
  const row = await read.get<(number | null)[]>(sql`SELECT
    ${count('collection')},
    (SELECT count(*) FROM collection WHERE status IN ${openStatuses}),
    ${count('collection WHERE review IS NOT NULL')},
    ${count('fact')}, ${count('posting')}, ${count('turn')}, ${count('inbox')},
    (SELECT max(opened_at) FROM collection),
    (SELECT max(at) FROM (SELECT max(at) AS at FROM turn UNION ALL SELECT max(at) FROM fact
      UNION ALL SELECT max(received_at) FROM inbox)),
    (SELECT max(livemode) FROM collection), (SELECT min(livemode) FROM collection)`);
  const [collections = 0, open = 0, reviews = 0, facts = 0, postings = 0, turns = 0, events = 0] = row.map(
    (cell) => cell ?? 0,
  );
  const [newestCollectionAt = null, newestAt = null, maxLivemode, minLivemode] = row.slice(7);
  return {
    ...{ collections, open, reviews, facts, postings, turns, events },
    newestCollectionAt,
    newestAt,
    modes: [...(maxLivemode === 1 ? ['live' as const] : []), ...(minLivemode === 0 ? ['test' as const] : [])],
  };
}
