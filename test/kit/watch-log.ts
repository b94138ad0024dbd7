import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterAll, afterEach, expect } from 'vitest';
import { findLeaks } from './leaks.ts';

/*
 * Set up for every file of tests: looks at each line that any log of the programs under test writes, wherever it goes,
 * and fails the test in which one says what no log may say. Pino tells every line that it has made on this channel.
 */

const most = 20;
let leaks: string[] = [];
let lines = 0;

const written = 'tracing:pino_asJson:end';

function look(message: unknown): void {
  const { result } = message as { result?: unknown };
  if (typeof result !== 'string') return;
  lines++;
  const found = findLeaks(result);
  if (found.length > 0 && leaks.length < most) leaks.push(`${found.join(', ')} in ${result.trim()}`);
}

subscribe(written, look);

/** What was seen since the last look, which thereby is forgotten; and how many lines were looked at in all. */
export function takeLeaks(): { leaks: string[]; lines: number } {
  const seen = leaks;
  leaks = [];
  return { leaks: seen, lines };
}

function check(): void {
  expect(takeLeaks().leaks, 'what must stand in no log').toEqual([]);
}

afterEach(check);
// The next file of this process looks for itself.
afterAll(() => {
  unsubscribe(written, look);
  check();
});
