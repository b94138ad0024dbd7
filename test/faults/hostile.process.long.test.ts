import { expect, test } from 'vitest';
import { runHostile } from '../hostile/run.ts';

/* The short form of `npm run test:hostile`. */

test('S45: payers pay while strangers send hostile requests of every class to both programs', async () => {
  const report = await runHostile({ requests: 2_000, seed: 1, concurrency: 16 });
  expect(report.failures).toEqual([]);
  expect(report.requests).toBeGreaterThanOrEqual(2_000);
  expect(report.honest.sessions).toBeGreaterThan(0);
  expect(Object.keys(report.answers).length).toBeGreaterThan(14);
  console.log(`S45: ${JSON.stringify(report)}`);
});
