import { Database } from '../../src/sqlite/driver.ts';
import { tills } from '../collection/tills.ts';

const polled = `status = 'initiated' AND next_at IS NOT NULL`;

/** Makes ended collections of a stopped gateway wait for their result, with a poll that is due now. */
export function parkPolls(file: string, count: number): void {
  const database = new Database(file);
  const ofMerchants = tills.map(({ merchant }, at) => `WHEN ${at} THEN '${merchant}'`).join(' ');
  try {
    database
      .prepare(
        `UPDATE collection SET status = 'initiated', next_at = 0, closed_at = NULL, confirmed_at = NULL, reason = NULL,
          merchant_id = CASE rowid % ${tills.length} ${ofMerchants} END, livemode = 0
         WHERE rowid IN (SELECT rowid FROM collection WHERE next_at IS NULL AND review IS NULL AND session_id IS NOT NULL
           ORDER BY rowid DESC LIMIT ?)`,
      )
      .run(count);
  } finally {
    database.close();
  }
}

/** Counts the polls that are due, while a gateway may be running. */
export function countDuePolls(file: string): number {
  const database = new Database(file, { readonly: true });
  try {
    const count = database.prepare<[number], { n: number }>(
      `SELECT count(*) AS n FROM collection WHERE ${polled} AND next_at <= ?`,
    );
    return count.get(Date.now())?.n ?? 0;
  } finally {
    database.close();
  }
}
