import { expect, test } from 'vitest';
import { createFullDisk } from '../kit/backup-till.ts';
import { allNeedFile } from '../kit/engine.ts';
import { scrape } from '../kit/scrape.ts';
import { createTill, paidEvent, type Till } from '../kit/till.ts';

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
