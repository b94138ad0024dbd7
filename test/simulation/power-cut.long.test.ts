import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Database } from '../../src/sqlite/driver.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { createRandom } from '../kit/random.ts';
import { type CommitFault, createDisk } from './disk.ts';
import { planOf, run } from './run.ts';

/** Creates a table on the simulated disk, with a row for each completed commit. */
function createTable(synchronous: 'FULL' | 'NORMAL', seed = 'disk') {
  const file = join(temporaryFolder(), 'disk.db');
  const disk = createDisk(file, createRandom(seed));
  const connection = disk.connect(file);
  connection.pragma('journal_mode = WAL');
  connection.exec('CREATE TABLE row (number INTEGER) STRICT');
  connection.pragma(`synchronous = ${synchronous}`);
  const insert = (number: number) => {
    connection.exec('BEGIN IMMEDIATE');
    connection.prepare('INSERT INTO row VALUES (?)').run(number);
    connection.prepare('COMMIT').run();
  };
  const numbers = () => {
    const after = new Database(file);
    expect(after.pragma('integrity_check', { simple: true })).toBe('ok');
    const rows = after.prepare('SELECT number FROM row ORDER BY number').pluck().all();
    after.close();
    return rows;
  };
  return { disk, insert, numbers };
}

test('a power cut loses exactly the commits that were not synced', () => {
  const full = createTable('FULL');
  for (const number of [1, 2, 3]) full.insert(number);
  full.disk.drop(true);
  expect(full.numbers()).toEqual([1, 2, 3]);
  const normal = createTable('NORMAL');
  for (const number of [1, 2, 3]) normal.insert(number);
  normal.disk.drop(true);
  expect(normal.numbers()).toEqual([]);
});

test('the end of a process loses no commit', () => {
  const { disk, insert, numbers } = createTable('NORMAL');
  for (const number of [1, 2, 3]) insert(number);
  disk.drop(false);
  expect(numbers()).toEqual([1, 2, 3]);
});

test.each<[CommitFault, readonly number[][]]>([
  ['crash_before', [[1]]],
  ['crash_after', [[1, 2]]],
  ['crash_amid', [[1], [1, 2]]],
])('a machine that stops at a commit (%s) leaves the whole commit or nothing of it', (fault, possible) => {
  for (let seed = 0; seed < 20; seed++) {
    const { disk, insert, numbers } = createTable('FULL', `disk ${seed}`);
    insert(1);
    disk.plan(fault, () => {});
    expect(() => insert(2)).toThrow('the machine has stopped');
    expect(possible).toContainEqual(numbers());
  }
});

test('S25: everything acknowledged before a power cut is present after it', async () => {
  let cuts = 0;
  let acknowledged = 0;
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    const plan = {
      ...planOf(seed, 0.25),
      features: ['power_cuts', 'events_duplicated'] as const,
      visits: 16,
    };
    const { violations, counts, history } = await run(plan);
    expect(violations, history.join('\n')).toEqual([]);
    cuts += counts['fault power cut'] ?? 0;
    acknowledged += counts.acknowledged ?? 0;
  }
  expect(cuts).toBeGreaterThan(5);
  expect(acknowledged).toBeGreaterThan(20);
});
