import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { moveLedger } from '../../src/gateway/move-ledger.ts';
import { openPostgresGateway } from '../../src/postgres/open-gateway.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { temporaryFolder } from '../kit/folder.ts';
import { startForwarder } from '../kit/forwarder.ts';
import { createDatabase, openPostgres, runSql } from '../kit/postgres.ts';
import { at, isRecovering, openingOf } from './gateway.ts';

/* Connections that end at the wrong moment. */

const wait = (ms: number) => sleep(ms);

/** Leads a database to another port. */
async function forward(url: string, mustEnd?: (packet: Buffer) => boolean) {
  const through = new URL(url);
  const port = Number(through.port);
  const forwarder = await startForwarder(port, mustEnd);
  onTestFinished(() => forwarder.close());
  through.port = `${forwarder.port}`;
  return { forwarder, through: through.href, port };
}

test('a gateway that has no connection while its ledger is moved away writes nothing to the old one afterwards', async () => {
  const url = await createDatabase();
  // A gateway has written the ledger.
  expect(await isRecovering(url)).toBe(false);
  const { forwarder, through, port } = await forward(url);
  const onMoved = vi.fn();
  const { store } = await openPostgresGateway({
    ...{ url: through, name: 'cut off', onMoved, monotonic: () => performance.now(), sleep: wait },
    follow() {},
    onPause() {},
  });
  onTestFinished(() => store.close());
  expect(await store.apply(openingOf('0244123456'))).toBe(true);
  forwarder.lead(null);
  const to = { file: `${temporaryFolder()}/moved.db` };
  const clock = systemClock();
  await vi.waitFor(() => moveLedger({ from: at(url), to, clock, onTable() {} }), { timeout: 20_000 });
  forwarder.lead(port);
  await vi.waitUntil(() => onMoved.mock.calls.length > 0, { timeout: 10_000 });
  await expect(store.apply(openingOf('0244123457'))).rejects.toMatchObject({ kind: 'busy' });
  expect(await runSql(url, 'SELECT count(*)::int AS count FROM collection')).toEqual([{ count: 1 }]);
});

test('a connection that ends while it is prepared is opened again, and ends no process', async () => {
  let isArmed = false;
  const { through } = await forward(await createDatabase(), (packet) => {
    const isNext = isArmed && packet.includes('pg_try_advisory_lock_shared');
    if (isNext) isArmed = false;
    return isNext;
  });
  const store = await openPostgres(through, { sleep: wait });
  isArmed = true;
  expect(await store.query('SELECT 1', [], 'row')).toEqual([1]);
  expect(isArmed).toBe(false);
});
