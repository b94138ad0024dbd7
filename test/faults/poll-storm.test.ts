import Database from 'better-sqlite3';
import { expect, test, vi } from 'vitest';
import { openShop, type Shop } from '../process/shop.ts';
import { withFile } from './invariants.ts';
import { openLine } from './line.ts';
import { numberOf, openPayer } from './payer.ts';
import { long, longest } from './size.ts';

const { count, perSecond } = long ? { count: 50_000, perSecond: 250 } : { count: 60, perSecond: 20 };

/** Collections like the only one that there is, each opened a second after the one before, all of them due. */
function multiply(shop: Shop): void {
  const file = new Database(shop.database);
  try {
    const like = file.prepare('SELECT * FROM collection').get() as Record<string, unknown>;
    const columns = Object.keys(like);
    const insert = file.prepare(
      `INSERT INTO collection (${columns.join(', ')}) VALUES (${columns.map((name) => `@${name}`).join(', ')})`,
    );
    const now = shop.clock.now();
    file.transaction(() => {
      for (let n = 0; n < count; n++) {
        const at = now - (count - n) * 1_000;
        insert.run({
          ...like,
          id: `col_many_${String(n).padStart(5, '0')}`,
          payer: `23320${String(n).padStart(7, '0')}`,
          session_id: `pay_many_${n}`,
          short_reference: `many-${n}`,
          opened_at: at,
          initiate_sent_at: at,
          updated_at: at,
          next_at: at + 1_000,
          lease_until: 0,
        });
      }
    })();
  } finally {
    file.close();
  }
}

test(
  `S43: after an outage with ${count} open collections the calls keep their rate, the newest come first, and all settle`,
  longest,
  async (context) => {
    const line = await openLine(context);
    const shop = await openShop(context, {
      configure(file) {
        line.to = file.service.url;
        file.service.url = line.url;
        file.service.callsPerSecond = perSecond;
      },
    });
    const before = await shop.start();
    await openPayer(shop, numberOf(0)).agree();
    await shop.until(numberOf(0), { status: 'initiated' });
    await before.end('SIGKILL');
    multiply(shop);

    const asked: { n: number; at: number }[] = [];
    line.answer = (path) => {
      const n = /pay_many_(\d+)/.exec(path)?.[1];
      if (n === undefined) return undefined;
      asked.push({ n: Number(n), at: performance.now() });
      return { id: `pay_many_${n}`, status: 'paid', terminal: true, paid_at: '2026-03-06T09:05:00.000Z' };
    };
    await shop.start();
    const paid = `SELECT count(*) FROM collection WHERE id LIKE 'col_many%' AND status = 'paid'`;
    await vi.waitFor(() => expect(withFile(shop, (file) => file.prepare(paid).pluck().get())).toBe(count), {
      timeout: (count / perSecond) * 10_000 + 10_000,
      interval: 250,
    });

    expect(asked).toHaveLength(count);
    const times = asked.map(({ at }) => at);
    let most = 0;
    for (let from = 0, to = 0; to < times.length; to++) {
      while ((times[to] ?? 0) - (times[from] ?? 0) >= 1_000) from++;
      most = Math.max(most, to - from + 1);
    }
    // A second's worth may have gathered beforehand.
    expect(most).toBeLessThanOrEqual(2 * perSecond);
    const early = asked.slice(0, perSecond).map(({ n }) => n);
    // Three calls in four are for the newest, the fourth for whoever has waited longest.
    expect(early.filter((n) => n >= count / 2).length / early.length).toBeGreaterThan(0.6);
    console.log(`S43: ${count} polls at ${perSecond} a second, never more than ${most} within one`);
  },
);
