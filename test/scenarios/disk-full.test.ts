import { expect, test } from 'vitest';
import { type Store, StoreFault, type Write } from '../../src/sqlite/store.ts';
import { createFullDisk } from '../kit/backup-till.ts';
import { allNeedFile } from '../kit/engine.ts';
import { paidInFull } from '../kit/scenes.ts';
import { scrape } from '../kit/scrape.ts';
import { createTill, paidEvent, payer, type Till } from '../kit/till.ts';

allNeedFile('fill the disk of a file; test/postgres/cut-off fills the disk of a server');

async function createTillOnDisk() {
  const disk = createFullDisk();
  return {
    disk,
    till: await createTill({ overrides: () => ({ createStore: disk.createStore, maxIdleMs: 1_000 }) }),
  };
}

async function readyz(till: Till): Promise<[status: number, body: object]> {
  const answer = await till.gateway().app.request('http://gateway.test/readyz');
  return [answer.status, (await answer.json()) as object];
}

const checks = { database: true, worker: true, draining: false };

const ready = [200, { status: 'ready', ...checks }];

const full = [503, { status: 'not ready', ...checks, diskFull: true }];

test('S26: the gateway is not ready from the first write that fails on a full disk until one succeeds', async () => {
  const { disk, till } = await createTillOnDisk();
  const row = await till.prompted();
  expect(await readyz(till)).toEqual(ready);
  disk.fill(true);
  // No write has failed yet.
  expect(await readyz(till)).toEqual(ready);
  expect((await till.deliver(paidEvent(row))).status).toBe(503);
  expect(await readyz(till)).toEqual(full);
  expect([await scrape(till, 'ready'), await scrape(till, 'disk_full')]).toEqual([0, 1]);

  disk.fill(false);
  expect((await till.deliver(paidEvent(row))).status).toBe(200);
  expect(await readyz(till)).toEqual(ready);
  expect([await scrape(till, 'ready'), await scrape(till, 'disk_full')]).toEqual([1, 0]);
});

test('S26: without other writes, readiness checks detect free space at a bounded rate', async () => {
  const { disk, till } = await createTillOnDisk();
  await till.clock.advance(2_000);
  disk.fill(true);
  expect((await till.deliver({ id: 'evt_1', type: 'any', created_at: '', data: {} })).status).toBe(503);
  await till.clock.advance(5_000);
  const before = disk.rejectedCommits();
  for (let check = 0; check < 100; check++) {
    expect(await readyz(till)).toEqual(full);
    await till.clock.advance(100);
  }
  // A hundred checks in ten seconds cause two test writes.
  expect(disk.rejectedCommits() - before).toBe(2);

  disk.fill(false);
  await till.clock.advance(5_000);
  expect(await readyz(till)).toEqual(ready);
  expect((await till.verify()).faults).toEqual([]);
});

test('S26: the log reports a full disk once and its recovery once, however many writes fail', async () => {
  const { disk, till } = await createTillOnDisk();
  const row = await till.prompted();
  for (let round = 1; round <= 2; round++) {
    disk.fill(true);
    for (let sent = 0; sent < 10; sent++) await till.deliver(paidEvent(row, `evt_${round}`));
    await till.clock.advance(60_000);
    expect(till.alarms()).toEqual(Array(round).fill('disk_full'));
    disk.fill(false);
    expect((await till.deliver(paidEvent(row, `evt_${round}`))).status).toBe(200);
    expect(till.logged().match(/the disk has space again/g)).toHaveLength(round);
  }
});

/** Whether the batch whose answer is lost was written. */
const outcomes = [{ isWritten: true }, { isWritten: false }];

/** Loses the answer to the first batch that inserts into a table. */
function loseAnswer(table: string, isWritten: boolean) {
  let isLost = false;
  const inserts = (batch: readonly Write[]) =>
    batch.some(({ sql }) => sql.includes(`insert into "${table}"`));
  return (store: Store): Store => ({
    ...store,
    async apply(batch, signal) {
      if (isLost || !inserts(batch)) return store.apply(batch, signal);
      isLost = true;
      if (isWritten) await store.apply(batch, signal);
      throw new StoreFault('unknown', 'the connection to the database was lost');
    },
  });
}

test.each(outcomes)(
  'an END screen announces a prompt only after its collection is found or written (isWritten: $isWritten)',
  async ({ isWritten }) => {
    const till = await createTill({ wrapStore: loseAnswer('collection', isWritten) });
    expect(await till.pay(payer)).toContain('Approve GHS 20.00');
    expect(await till.find(payer)).toHaveLength(1);
    await till.untilStatus(payer, 'initiated');
    await till.approved();
    expect((await till.service.statement()).pushes).toBe(1);
  },
);

test.each(outcomes)(
  'an event is acknowledged only after it is known to be stored (isWritten: $isWritten)',
  async ({ isWritten }) => {
    const till = await createTill({ wrapStore: loseAnswer('inbox', isWritten) });
    const row = await till.prompted();
    const event = paidEvent(row);
    expect((await till.deliver(event)).status).toBe(503);
    expect((await till.deliver(event)).status).toBe(200);
    await till.untilStatus(payer, 'paid');
    expect(await till.booked(row.id)).toEqual(paidInFull);
    expect(await till.inbox()).toHaveLength(1);
  },
);
