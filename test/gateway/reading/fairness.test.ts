import { expect, test } from 'vitest';
import type { ReadOwner } from '../../../src/gateway/reading/fair-queue.ts';
import { createThreadReader } from '../../../src/gateway/reading/thread-reader.ts';
import { gatewayReads } from '../../../src/gateway/wiring/reads.ts';
import { settle, testClock } from '../../kit/clock.ts';
import { createSilentLog } from '../../kit/log.ts';
import { inProcessThread } from './thread.ts';

/** A reader of one lane whose reads take 50 ms each, and the owners of the reads in the order in which they were served. */
function createFloodedReader(lanes = 1) {
  const clock = testClock();
  const { thread, ended } = inProcessThread(clock, 50);
  const reader = createThreadReader(gatewayReads, {
    start: () => thread,
    clock,
    log: createSilentLog(),
    lanes,
  });
  /** Sends reads at once, and returns how many were refused at once. */
  async function send(count: number, owner: ReadOwner): Promise<number> {
    let refused = 0;
    for (let i = 0; i < count; i += 1)
      void reader
        .by(owner)
        .session(owner.name)
        .catch((fault) => {
          if (fault.kind === 'crowded') refused += 1;
        });
    await settle();
    return refused;
  }
  return { clock, send, served: () => ended.map(({ input }) => input[0]) };
}

const staff = (name: string) => ({ name, merchantId: null });
const key = (name: string, merchantId: string) => ({ name, merchantId });

test('one person who floods is refused, and all others are served in the next round', async () => {
  const { clock, send, served } = createFloodedReader();
  expect(await send(400, staff('mallory'))).toBe(400 - 17);
  expect(await send(2, staff('efua'))).toBe(0);
  expect(await send(1, key('mk_1', 'demo-shop'))).toBe(0);
  await clock.advance(50 * 5);
  expect(served()).toEqual(['mallory', 'mallory', 'efua', 'mk_1', 'mallory']);
  await clock.advance(50);
  expect(served().at(-1)).toBe('efua');
});

test('the keys of one merchant share its turns, whatever their number, and its people have turns among them', async () => {
  const { clock, send, served } = createFloodedReader();
  const refused = [];
  for (const name of ['mk_1', 'mk_2', 'mk_3']) refused.push(await send(20, key(name, 'demo-shop')));
  // One runs and 32 wait, at most 16 of one key.
  expect(refused).toEqual([3, 4, 20]);
  expect(await send(1, key('mk_9', 'other-shop'))).toBe(0);
  await clock.advance(50 * 3);
  expect(served()).toEqual(['mk_1', 'mk_1', 'mk_9']);
  await clock.advance(50 * 2);
  expect(served().slice(3)).toEqual(['mk_2', 'mk_1']);
});

test('reads of one merchant leave the other lanes of a server to others', async () => {
  const { clock, send, served } = createFloodedReader(3);
  await send(10, key('mk_1', 'demo-shop'));
  await send(1, key('mk_2', 'other-shop'));
  await send(1, staff('efua'));
  await clock.advance(50);
  expect(served()).toEqual(['mk_1', 'mk_2', 'efua']);
});

test('what was refused or served takes no place: a person reads on after a flood', async () => {
  const { clock, send, served } = createFloodedReader();
  await send(40, staff('mallory'));
  await clock.advance(50 * 17);
  expect(served()).toHaveLength(17);
  expect(await send(17, staff('mallory'))).toBe(0);
});

test('a thread that does not start costs its read, and no later one of the same person', async () => {
  const clock = testClock();
  const { thread, ended } = inProcessThread(clock, 50);
  let starts = 0;
  const start = () => {
    starts += 1;
    if (starts === 1) throw new Error('no threads left');
    return thread;
  };
  const reader = createThreadReader(gatewayReads, { start, clock, log: createSilentLog(), lanes: 1 });
  await expect(reader.by(staff('efua')).session('one')).rejects.toThrow('no threads left');
  void reader.by(staff('efua')).session('two');
  await settle();
  await clock.advance(50);
  expect(ended.map(({ input }) => input)).toEqual([['two']]);
});
