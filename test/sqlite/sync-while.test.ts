import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { syncWhile } from '../../src/sqlite/copy.ts';
import { temporaryFolder } from '../kit/folder.ts';

/** Waits without the event loop, as a long statement of SQLite does, for ten seconds at the most. */
function blockUntil(isDone: () => boolean): void {
  const pause = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  for (let waits = 0; waits < 2_000 && !isDone(); waits++) Atomics.wait(pause, 0, 0, 5);
}

test('a file is synced while synchronous work fills it, also when the work creates it', () => {
  const file = join(temporaryFolder(), 'copy.db');
  syncWhile(file, (syncs) => {
    expect([existsSync(file), syncs()]).toEqual([false, 0]);
    writeFileSync(file, 'rows');
    blockUntil(() => syncs() > 1);
    expect(syncs()).toBeGreaterThan(1);
  });
});

test('work that fails ends the syncs, and its error is that of the caller', () => {
  const work = () => {
    throw new Error('the disk is full');
  };
  expect(() => syncWhile(join(temporaryFolder(), 'copy.db'), work)).toThrow('the disk is full');
});
