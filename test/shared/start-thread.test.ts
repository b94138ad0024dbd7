import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startThread } from '../../src/shared/thread.ts';

function start(mode: 'waits' | 'ends' | 'fails') {
  const seen = new Int32Array(new SharedArrayBuffer(8));
  const thread = startThread({ name: 'child-thread', from: import.meta.url, workerData: { mode, seen } });
  return { thread, seen };
}

test('a thread that is asked to end finishes what runs without a pause, and its objects are freed', async () => {
  const { thread, seen } = start('waits');
  while (seen[0] === 0) await setImmediate();
  expect(await thread.terminate()).toBe(0);
  expect([...seen]).toEqual([1, 1]);
});

test('a thread whose program is done ends, and its objects are freed', async () => {
  const { thread, seen } = start('ends');
  expect(await once(thread, 'exit')).toEqual([0]);
  expect([...seen]).toEqual([1, 1]);
});

test('the fault of a program reaches the owner of the thread, and its objects are freed', async () => {
  const { thread, seen } = start('fails');
  const exited = new Promise((resolve) => thread.once('exit', resolve));
  await expect(once(thread, 'exit')).rejects.toThrow('cannot run');
  await exited;
  expect([...seen]).toEqual([1, 1]);
});

test('a thread that is asked to end while it loads does not run its program', async () => {
  const { thread, seen } = start('waits');
  expect(await thread.terminate()).toBe(0);
  expect([...seen]).toEqual([0, 0]);
});
