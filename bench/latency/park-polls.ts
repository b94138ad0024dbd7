import { Database } from '../../src/sqlite/driver.ts';
import { tills } from '../collection/tills.ts';

/** Makes ended collections of a stopped gateway wait for their result, with a poll that is due now. */
export function parkPolls(file: string, count: number): void {
  const database = new Database(file);
  const ofMerchants = tills.map(({ merchant }, at) => `WHEN ${at} THEN '${merchant}'`).join(' ');
  try {
    const park = database.prepare(
      `UPDATE collection SET status = 'initiated', closed_at = NULL, confirmed_at = NULL, reason = NULL,
          merchant_id = CASE rowid % ${tills.length} ${ofMerchants} END, livemode = 0
         WHERE rowid IN (SELECT rowid FROM collection WHERE id NOT IN (SELECT collection_id FROM job) AND review IS NULL
           AND session_id IS NOT NULL ORDER BY rowid DESC LIMIT ?)`,
    );
    const schedule = `INSERT INTO job SELECT id, merchant_id, livemode, 2, opened_at, 0, 0, 0, NULL, 0 FROM collection
      WHERE status = 'initiated' AND id NOT IN (SELECT collection_id FROM job)`;
    database.transaction(() => {
      park.run(count);
      database.exec(schedule);
    })();
  } finally {
    database.close();
  }
}

/** Counts the polls that are due, while a gateway may be running. */
export function countDuePolls(file: string): number {
  const database = new Database(file, { readonly: true });
  try {
    const count = database.prepare<[number], { n: number }>(
      'SELECT count(*) AS n FROM job WHERE urgency = 2 AND next_at <= ?',
    );
    return count.get(Date.now())?.n ?? 0;
  } finally {
    database.close();
  }
}
