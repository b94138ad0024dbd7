import { expect, test } from 'vitest';
import { startThread } from '../../src/shared/start-thread.ts';

function start(mode: 'slow' | 'broken') {
  const hasLoaded = new Int32Array(new SharedArrayBuffer(4));
  const thread = startThread({
    name: 'child-thread',
    from: import.meta.url,
    workerData: { mode, hasLoaded },
  });
  return { thread, hasLoaded };
}

test('a thread ends only after it has loaded: to end it while it loads native code aborts the process', async () => {
  const { thread, hasLoaded } = start('slow');
  await thread.terminate();
  expect(hasLoaded[0]).toBe(1);
});

test('a thread that fails before it has loaded ends', async () => {
  const { thread, hasLoaded } = start('broken');
  thread.on('error', () => {});
  await thread.terminate();
  expect(hasLoaded[0]).toBe(0);
});
