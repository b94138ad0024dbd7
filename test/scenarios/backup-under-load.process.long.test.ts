import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ledgerStore } from '../../src/gateway/ledger/ledger-store.ts';
import { sealBlock } from '../../src/gateway/ledger/seal.ts';
import { type CopyReport, verifyCopy } from '../../src/gateway/upkeep/verify-copy.ts';
import { createBench, number } from '../gateway/collection/bench.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { run } from '../kit/launch.ts';
import { dialtill } from '../process/processes.ts';

const everyMs = 5;

test('S31: 200 writes a second continue during a backup, and every sum of the copy is correct', async () => {
  const { store, file, open, clock } = createBench();
  const ledger = ledgerStore(store);
  for (let n = 0; n < 1_000; n += 100) {
    await Promise.all(Array.from({ length: 100 }, (_, i) => open({ payer: number(n + i) })));
  }
  await sealBlock(ledger, clock);
  const folder = join(temporaryFolder(), 'copies');
  mkdirSync(folder);

  let isDone = false;
  const done = run(dialtill(), ['backup', '--db', file, '--to', folder, '--json']).finally(() => {
    isDone = true;
  });
  const written: Promise<number>[] = [];
  for (let n = 1_000; !isDone; n++) {
    const startedAt = performance.now();
    written.push(
      open({ payer: number(n) }).then(({ done: ok }) => (ok ? performance.now() - startedAt : Infinity)),
    );
    if (n % 200 === 0) await sealBlock(ledger, clock);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  const { code, stdout } = await done;
  const times = (await Promise.all(written)).sort((a, b) => a - b);
  expect(code).toBe(0);
  // Loaded machines differ; an aggregator's patience is 4 s.
  expect(times.at(Math.floor(times.length * 0.99))).toBeLessThan(1_000);
  expect(times.at(-1)).toBeLessThan(3_000);

  const report: CopyReport = JSON.parse(stdout);
  expect(report).toMatchObject({ ok: true, faults: [], takenAt: expect.any(Number) });
  const { collections = 0, facts } = report.contents ?? {};
  expect(facts).toBe(collections);
  // A moment of the time in which it was written: after the first thousand, and before the end.
  expect(collections).toBeGreaterThanOrEqual(1_000);
  expect(collections).toBeLessThanOrEqual(1_000 + written.length);
  expect(readdirSync(folder).map((name) => join(folder, name))).toEqual([report.file]);
  expect(statSync(report.file).mode & 0o777).toBe(0o600);
  expect(await verifyCopy(report.file)).toMatchObject({ ok: true, contents: { collections } });
});
