import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterAll, afterEach, expect } from 'vitest';
import { findLeaks } from './leaks.ts';

/*
 * Setup of every test file: inspects each line that a log of the programs under test writes, whatever its destination,
 * and fails the test in which a line contains a secret. Pino publishes every line on this channel.
 */

const maxLeaks = 20;
let leaks: string[] = [];
let lines = 0;

const lineWritten = 'tracing:pino_asJson:end';

function inspect(message: unknown): void {
  const { result } = message as { result?: unknown };
  if (typeof result !== 'string') return;
  lines++;
  const found = findLeaks(result);
  if (found.length > 0 && leaks.length < maxLeaks) leaks.push(`${found.join(', ')} in ${result.trim()}`);
}

subscribe(lineWritten, inspect);

/** Returns the leaks since the last call and removes them. `lines` is the number of lines inspected so far. */
export function takeLeaks(): { leaks: string[]; lines: number } {
  const taken = leaks;
  leaks = [];
  return { leaks: taken, lines };
}

function expectNoLeaks(): void {
  expect(takeLeaks().leaks, 'secrets in the log').toEqual([]);
}

afterEach(expectNoLeaks);
// The next file in this process subscribes again.
afterAll(() => {
  unsubscribe(lineWritten, inspect);
  expectNoLeaks();
});
