import { expect, test } from 'vitest';
import { createSealLag, headJob, sealBlock } from '../../../src/gateway/ledger/seal.ts';
import { verifyLedger } from '../../../src/gateway/ledger/verify.ts';
import { createKeptLog } from '../../kit/log.ts';
import { noAudits } from '../../kit/no-audits.ts';
import { createTill } from '../../kit/till.ts';
import { openLedger } from './support.ts';

/** Returns the logged heads: block, hash and number of rows. */
function headsIn(lines: string): { block: number; head: string; rows: number }[] {
  return lines
    .split('\n')
    .filter((line) => line.includes('"head of the ledger"'))
    .map((line) => JSON.parse(line));
}

test('the head of the chain is logged once a day, so that an archive of the log can anchor it', async () => {
  const { ledger, clock, append } = openLedger();
  const { log, logged } = createKeptLog('info');
  const job = headJob(ledger, log);
  expect(job.everyMs).toBe(24 * 60 * 60_000);
  await job.run(clock.now());
  expect(headsIn(logged())).toEqual([]);
  await append('col_1', 3);
  const block = await sealBlock(ledger, clock);
  await job.run(clock.now());
  expect(headsIn(logged())).toMatchObject([{ block: 1, head: block?.hash, rows: 5 }]);
  const { notedHead } = await verifyLedger(ledger, noAudits, { notedHead: block?.hash });
  expect(notedHead).toEqual({ block: 1, rowsAfter: 0 });
});

test('a gateway logs the head of its ledger when it stops', async () => {
  const till = await createTill();
  await till.prompted();
  await till.gateway().stop();
  const { head, facts, postings, turns } = await till.verify();
  expect(headsIn(till.logged()).at(-1)).toMatchObject({ head, rows: facts + postings + turns });
});

test('a restart without the key that signed the ledger raises an alarm, and the readiness shows it', async () => {
  const till = await createTill({
    configure: (config) => {
      config.ledger.sealKey = Buffer.alloc(32, 7).toString('base64');
    },
  });
  const readiness = async () => (await till.gateway().app.request('http://gateway.test/readyz')).json();
  await till.prompted();
  expect(await readiness()).not.toHaveProperty('ledgerUnsigned');
  await till.restart(async () => {
    delete till.config.ledger.sealKey;
  });
  expect(till.alarms()).toContain('ledger_signature');
  expect(await readiness()).toMatchObject({ status: 'ready', ledgerUnsigned: true });
});

test('sealing that stops raises an alarm, and readiness and metrics show its lag until it continues', async () => {
  const { ledger, clock, append } = openLedger();
  const { log, logged } = createKeptLog('info');
  const lag = createSealLag({ ledger, clock, log }, 1_000);
  await append('col_1', 1);
  await clock.advance(61_000);
  expect([await lag.measure(), await lag.measureIfLate()]).toEqual([61_000, undefined]);
  await lag.job.run();
  await clock.advance(1_000);
  expect(await lag.measureIfLate()).toBe(62_000);
  // One look can come before the first block of a process that was suspended.
  await lag.job.run();
  expect(logged()).not.toContain('sealing_late');
  for (const _ of [1, 2]) await lag.job.run();
  expect(logged().match(/sealing_late/g)).toHaveLength(1);
  await sealBlock(ledger, clock);
  await lag.job.run();
  expect(logged()).toContain('the ledger is sealed again');
  expect(await lag.measure()).toBe(0);
});
