import { expect, test, vi } from 'vitest';
import { startProxy } from '../kit/proxy.ts';
import { withDatabase } from '../kit/with-database.ts';
import { createPayer, numberOf } from '../process/payer.ts';
import { type Shop, startShop } from '../process/shop.ts';
import { withFile } from './invariants.ts';
import { isLong, limits } from './size.ts';

const { count, perSecond } = isLong ? { count: 50_000, perSecond: 250 } : { count: 60, perSecond: 20 };

/**
 * The rate holds where a token is taken. A commit, a connection and this process lie between that and the time measured
 * here; when they delay the first polls by 250 ms, that many more arrive in the same second.
 */
const delayed = Math.ceil(perSecond * 0.25);

/** Copies the only collection `count` times, each opened a second after the previous one, all of them due. */
function multiply(shop: Shop): void {
  withDatabase(shop.database, (file) => {
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
          dialler: `23320${String(n).padStart(7, '0')}`,
          session_id: `pay_many_${n}`,
          short_reference: `many-${n}`,
          opened_at: at,
          initiate_sent_at: at,
          updated_at: at,
        });
      }
      file.exec(`INSERT INTO job SELECT id, merchant_id, livemode, 2, opened_at, opened_at + 1000, 0, 1, NULL, 0
        FROM collection WHERE id LIKE 'col_many_%'`);
    })();
  });
}

test(
  `S43: after an outage with ${count} open collections polls keep their rate, the newest come first, and every collection ends`,
  limits,
  async (context) => {
    const line = await startProxy();
    context.onTestFinished(line.close);
    const shop = await startShop(context, {
      configure(file) {
        line.targets = [file.service.url];
        file.service.url = line.url;
        file.service.callsPerSecond = perSecond;
      },
    });
    const before = await shop.start();
    await createPayer(shop, numberOf(0)).confirm();
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
    let maxInOneSecond = 0;
    for (let from = 0, to = 0; to < times.length; to++) {
      while ((times[to] ?? 0) - (times[from] ?? 0) >= 1_000) from++;
      maxInOneSecond = Math.max(maxInOneSecond, to - from + 1);
    }
    // The token bucket allows a burst of one second beside its rate.
    expect(maxInOneSecond).toBeLessThanOrEqual(2 * perSecond + delayed);
    const tookMs = (times.at(-1) ?? 0) - (times[0] ?? 0);
    expect(tookMs).toBeGreaterThan(((count - perSecond - delayed) / perSecond) * 1_000);
    const early = asked.slice(0, perSecond).map(({ n }) => n);
    // Three of four calls are for the newest collections, the fourth for the one that waited longest.
    expect(early.filter((n) => n >= count / 2).length / early.length).toBeGreaterThan(0.6);
    console.log(`S43: ${count} polls at ${perSecond} a second, at most ${maxInOneSecond} within one`);
  },
);
