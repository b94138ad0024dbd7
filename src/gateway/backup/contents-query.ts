import { sql } from 'drizzle-orm';
import type { Store } from '../../sqlite/store.ts';
import { openStatuses } from '../schema.ts';
import type { Contents } from './verify-copy.ts';

const count = (what: string) => sql.raw(`(SELECT count(*) FROM ${what})`);

/** Counts what a ledger holds, of whichever schema: only columns that have been there from the first. */
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
  const [collections, open, reviews, facts, postings, turns, events] = row.map((cell) => cell ?? 0);
  const [newestCollectionAt = null, newestAt = null, most, least] = row.slice(7);
  return {
    ...{ collections: collections ?? 0, open: open ?? 0, reviews: reviews ?? 0, facts: facts ?? 0 },
    ...{ postings: postings ?? 0, turns: turns ?? 0, events: events ?? 0 },
    newestCollectionAt,
    newestAt,
    modes: [...(most === 1 ? ['live' as const] : []), ...(least === 0 ? ['test' as const] : [])],
  };
}
