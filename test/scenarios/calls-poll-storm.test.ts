import { expect, test } from 'vitest';
import type { SqlValue } from '../../src/sqlite/store.ts';
import { createTill, minute, type Till } from '../kit/till.ts';

const count = 80;
const perSecond = 10;

/** Copies a collection many times, each opened half a second after the previous one, the last one now. */
async function multiply(till: Till, id: string): Promise<void> {
  const [like] = await till.ledger.rows<Record<string, SqlValue>>('SELECT * FROM collection WHERE id = ?', [
    id,
  ]);
  if (!like) throw new Error(`no collection ${id}`);
  const rows = Array.from({ length: count }, (_, n) => {
    const at = till.clock.now() - (count - n) * 500;
    return {
      ...like,
      id: `col_many_${String(n).padStart(5, '0')}`,
      payer: `23324${String(n).padStart(7, '0')}`,
      dialler: `23324${String(n).padStart(7, '0')}`,
      session_id: `pay_many_${n}`,
      short_reference: `many-${n}`,
      opened_at: at,
      initiate_sent_at: at + 2_000,
      updated_at: at + 2_000,
    };
  });
  const values = rows.map((row) => `(${Object.values(row).map(literal)})`);
  await till.ledger.change(`INSERT INTO collection (${Object.keys(like)}) VALUES ${values}`);
  await till.ledger.change(`INSERT INTO job SELECT id, merchant_id, livemode, 2, opened_at, opened_at + 10000, 0, 1, NULL, 0
    FROM collection WHERE id LIKE 'col_many_%'`);
}

function literal(value: SqlValue): string {
  if (value === null) return 'NULL';
  return typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`;
}

async function dueTimes(till: Till): Promise<number[]> {
  const rows = await till.ledger.rows<{ at: number }>('SELECT next_at AS at FROM job ORDER BY 1');
  return rows.map(({ at }) => at);
}

test('S43: after a restart with many open collections, calls keep their rate, the newest come first, and all end', async () => {
  const asked: { n: number; at: number }[] = [];
  let answer: object = { status: 'initiated', terminal: false };
  const till: Till = await createTill({
    configure: ({ service }) => Object.assign(service, { callsPerSecond: perSecond }),
    overrides: (clock) => ({
      fetch: async (url, { signal: _, ...init }) => {
        const n = /pay_many_(\d+)/.exec(url)?.[1];
        if (n === undefined) return till.service.app.request(url, init);
        asked.push({ n: Number(n), at: clock.now() });
        return Response.json({ id: `pay_many_${n}`, paid_at: null, retry_after_seconds: 3, ...answer });
      },
    }),
  });
  const { id } = await till.prompted();
  await multiply(till, id);
  await till.restart();
  const startedAt = till.clock.now();

  // Every collection is polled once before any is polled twice.
  await till.until(() => new Set(asked.map(({ n }) => n)).size === count, (2 * count * 1_000) / perSecond);
  for (const { at } of asked) {
    const within = asked.filter((one) => one.at >= at && one.at < at + 5_000).length;
    expect(within).toBeLessThanOrEqual(6 * perSecond);
  }
  // Three in four of the first calls are for the newest; the fourth is for the longest due.
  const early = asked.filter(({ at }) => at < startedAt + 2_000).map(({ n }) => n);
  const newest = early.filter((n) => n >= count / 2);
  expect(newest.length / early.length).toBeGreaterThan(0.6);
  expect(Math.min(...asked.slice(0, count / 2).map(({ n }) => n))).toBeLessThan(count / 10);

  // The next polls are spread: no second of the following minutes has many more than the average.
  const next = await dueTimes(till);
  expect(next).toHaveLength(count + 1);
  for (const at of next) {
    expect(next.filter((one) => one >= at && one < at + 1_000).length).toBeLessThanOrEqual(2 * perSecond);
  }

  answer = { status: 'paid', terminal: true, paid_at: '2026-03-06T09:05:00.000Z' };
  await till.clock.advance(1.5 * minute);
  const paid = (await till.storedCollections()).filter(
    (one) => one.id.startsWith('col_many') && one.status === 'paid',
  );
  expect(paid).toHaveLength(count);
});
